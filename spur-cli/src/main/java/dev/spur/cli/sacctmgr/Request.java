package dev.spur.cli.sacctmgr;

import java.util.ArrayList;
import java.util.List;

/// The words behind verb and entity: what is meant (`where`) and what shall become of it (`set`).
record Request(List<Word> conditions, List<Word> settings) {
    Request {
        conditions = List.copyOf(conditions);
        settings = List.copyOf(settings);
    }

    static Request of(List<String> words) {
        var conditions = new ArrayList<Word>();
        var settings = new ArrayList<Word>();
        var current = conditions;
        for (var text : words) {
            if (text.equalsIgnoreCase("set")) {
                current = settings;
            } else if (text.equalsIgnoreCase("where")) {
                current = conditions;
            } else if (!text.equalsIgnoreCase("and")) {
                current.add(Word.of(text));
            }
        }
        return new Request(conditions, settings);
    }
}
