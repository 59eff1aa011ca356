package dev.spur.cli.sacctmgr;

/// `key=value`, `key+=value` or `key-=value`; a word alone is a value without a key.
record Word(String key, String operator, String value) {
    static Word of(String text) {
        var equals = text.indexOf('=');
        if (equals < 0) {
            return new Word("", "=", unquoted(text));
        }
        var sign = equals > 0 ? text.charAt(equals - 1) : ' ';
        var isChange = sign == '+' || sign == '-';
        return new Word(
                text.substring(0, isChange ? equals - 1 : equals).strip(),
                isChange ? sign + "=" : "=",
                unquoted(text.substring(equals + 1)));
    }

    boolean hasKey() {
        return !key.isEmpty();
    }

    private static String unquoted(String value) {
        var first = value.isEmpty() ? ' ' : value.charAt(0);
        return value.length() > 1
                        && (first == '\'' || first == '"')
                        && value.charAt(value.length() - 1) == first
                ? value.substring(1, value.length() - 1)
                : value;
    }
}
