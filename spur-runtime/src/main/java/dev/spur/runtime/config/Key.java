package dev.spur.runtime.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// How a record component is written in the file, where its own name does not say it all.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Key {
    /// The key, when it is not the component's name in snake case. A `Duration` takes its unit from
    /// the suffix `_secs`, `_minutes` or `_days`; without one the number is in seconds.
    String value() default "";

    /// A name that the key had before: still read, with a warning.
    String formerly() default "";

    /// No default makes sense: the key must be there.
    boolean required() default false;

    /// Known and loaded, but the feature it controls is not part of this release.
    boolean notYetUsed() default false;

    /// A change is applied by `scontrol reconfigure`; without it a daemon must be restarted.
    boolean live() default false;
}
