package dev.spur.cli.sacctmgr;

import dev.spur.api.v1.Setting;
import dev.spur.model.notation.Durations;
import dev.spur.model.notation.NotationException;
import dev.spur.model.notation.TimeLimit;
import java.time.Duration;
import java.util.List;

/// What will be set, one line each, as Slurm lists it.
final class SettingsText {
    private static final int LABEL = 14;
    private static final int LABEL_OF_QOS = 25;

    private SettingsText() {}

    static String ofAssociation(List<Setting> settings) {
        return lines(SettingKeys.ASSOCIATION, settings, LABEL);
    }

    static String ofQos(List<Setting> settings) {
        return lines(SettingKeys.QOS, settings, LABEL_OF_QOS);
    }

    private static String lines(Keys keys, List<Setting> settings, int width) {
        var text = new StringBuilder();
        for (var key : keys.all()) {
            for (var setting : settings) {
                if (setting.getKey().equals(key.name()) && !key.name().equals("description")) {
                    text.append("  ").append(padded(key.label(), width)).append("= ");
                    text.append(value(setting)).append('\n');
                }
            }
        }
        return text.toString();
    }

    static String padded(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }

    private static String value(Setting setting) {
        var value = setting.getValue();
        if (value.equals("-1")) {
            return "NONE";
        }
        return setting.getKey().endsWith("wall") ? wall(value) : value;
    }

    private static String wall(String value) {
        try {
            return switch (TimeLimit.parse(value)) {
                case TimeLimit.Limited(var minutes) ->
                        Durations.padded(Duration.ofMinutes(minutes));
                case TimeLimit.Unlimited() -> "NONE";
            };
        } catch (NotationException _) {
            return value; // the controller says what is wrong with it
        }
    }
}
