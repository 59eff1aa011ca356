package dev.spur.cli.cloud;

import java.util.ArrayList;
import java.util.List;

/// Columns as wide as what stands in them.
final class Listing {
    private final List<List<String>> rows = new ArrayList<>();

    Listing(String... titles) {
        rows.add(List.of(titles));
    }

    void row(String... cells) {
        rows.add(List.of(cells).stream().map(CloudClient::printable).toList());
    }

    String text() {
        var text = new StringBuilder();
        for (var row : rows) {
            for (var column = 0; column < row.size(); column++) {
                var cell = row.get(column);
                text.append(cell);
                if (column < row.size() - 1) {
                    text.append(" ".repeat(width(column) - cell.length() + 2));
                }
            }
            text.append('\n');
        }
        return text.toString();
    }

    private int width(int column) {
        return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
    }
}
