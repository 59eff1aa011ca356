package dev.spur.api.view;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/// Takes the value of a field, in whatever form the reader wants it. A getter calls exactly one of
/// these.
public interface Values {
    /// Empty: there is none.
    void text(String text);

    void number(long number);

    void decimal(double number);

    void flag(boolean isSet);

    /// @param micros since the epoch; 0: never
    void instant(long micros);

    void words(Collection<String> words);

    /// How a process ended.
    void exit(int code, int signal);

    /// @param amounts as in `cpu=4,mem=400M,gres/gpu=2`
    void tres(String amounts);

    /// @param byName as `gres/gpu`; memory in MiB
    void amounts(Map<String, Long> byName);

    /// The name of a countable resource; empty if the number is nobody's.
    String tresName(int id);

    /// Nothing was said, and nothing follows from that.
    void none();

    /// No limit.
    void unlimited();

    <C> void children(EntityTable<C> table, List<C> children);

    /// The name of the cluster that answered.
    String cluster();

    /// The cluster's time, microseconds since the epoch.
    long now();
}
