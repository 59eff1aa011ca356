/// What sessions cost: prices, the lines of the bill, budgets.
///
/// The truth is the accounting of the cluster: what it says about the attempts of a session's job
/// becomes the session's lines, again and again, until the last attempt has ended. So nothing is
/// billed twice or missed, whoever was away in the meantime: there is no second record of what ran.
///
/// Start with {@link Lines}, the only place where time becomes money; {@link Settling} brings the
/// truth in; {@link BillingRoutes} shows it.
@NullMarked
package dev.spur.cloud.billing;

import org.jspecify.annotations.NullMarked;
