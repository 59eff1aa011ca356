/// Jobs, their steps and files: rows, and the questions of sacct. Start with {@link
/// dev.spur.accounting.job.JobHistoryListing}.
@NullMarked
package dev.spur.accounting.job;

import org.jspecify.annotations.NullMarked;
