package dev.spur.runtime.host;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Stream;

/// Whose process holds the other end of a connection on this host: the kernel lists it in
/// `/proc/net/tcp`.
///
/// Both ends have to be those of the connection, and it has to be established: of a connection that
/// has ended the kernel says that it is root's, and anybody can have one of those at a port from
/// which the next connection comes.
public final class LoopbackOwner {
    private static final List<Path> TABLES =
            List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int STATE = 3;
    private static final int UID = 7;
    private static final int INODE = 9;

    private static final String ESTABLISHED = "01";

    /// Of a socket that no process has: the kernel calls that root's as well.
    private static final String NO_INODE = "0";

    private LoopbackOwner() {}

    /// @param client the other end, as this end sees it
    /// @param server this end
    public static OptionalLong uid(InetSocketAddress client, InetSocketAddress server) {
        for (var table : TABLES) {
            try (var lines = Files.lines(table, StandardCharsets.US_ASCII)) {
                var uid = uid(lines.skip(1), client, server);
                if (uid.isPresent()) {
                    return uid;
                }
            } catch (IOException | RuntimeException e) {
                // No such table, then nobody is in it.
            }
        }
        return OptionalLong.empty();
    }

    /// @param rows of a table, without its heading
    static OptionalLong uid(
            Stream<String> rows, InetSocketAddress client, InetSocketAddress server) {
        return rows.map(row -> row.strip().split("\\s+"))
                .filter(columns -> columns.length > INODE)
                .filter(columns ->
                        isAt(columns[LOCAL], client)
                                && isAt(columns[REMOTE], server)
                                && columns[STATE].equals(ESTABLISHED)
                                && !columns[INODE].equals(NO_INODE))
                .mapToLong(columns -> Long.parseLong(columns[UID]))
                .findFirst();
    }

    /// The kernel writes addresses as words of the machine's byte order.
    private static boolean isAt(String column, InetSocketAddress address) {
        var bytes = address.getAddress().getAddress();
        var port = ":%04X".formatted(address.getPort());
        var text = new StringBuilder();
        for (var i = 0; i < bytes.length; i += 4) {
            for (var j = 3; j >= 0; j--) {
                text.append(String.format(Locale.ROOT, "%02X", bytes[i + j]));
            }
        }
        var mapped = "0000000000000000FFFF0000" + text;
        return column.equals(text + port)
                || address.getAddress() instanceof Inet4Address && column.equals(mapped + port);
    }
}
