"""What people do with submitit: a function, an array of them, one that fails, one that is cancelled, and one whose time
ends before it does, so that it is queued again from where it was."""

import sys
import time

import submitit


def square(number):
    return number * number


def fail():
    raise ValueError("on purpose")


class Counting(submitit.helpers.Checkpointable):
    """Goes on at its next start where it stopped."""

    def __init__(self):
        self.steps = 0

    def __call__(self, goal):
        while self.steps < goal:
            time.sleep(1)
            self.steps += 1
        return self.steps

    def checkpoint(self, goal):
        return submitit.helpers.DelayedSubmission(self, goal)


def main(folder):
    executor = submitit.SlurmExecutor(folder=folder)
    executor.update_parameters(time=5, mem="100MB", cpus_per_task=1)

    assert executor.submit(square, 7).result() == 49
    print("submitit: a function gave its result")

    executor.update_parameters(array_parallelism=4)
    jobs = executor.map_array(square, range(8))
    assert [job.result() for job in jobs] == [number * number for number in range(8)]
    print("submitit: an array of 8 gave all results")

    failed = executor.submit(fail)
    assert "on purpose" in str(failed.exception()), failed.exception()
    failed.wait()
    print("submitit: a failure told its reason, state", failed.state)

    long = executor.submit(time.sleep, 300)
    while long.watcher.get_state(long.job_id, mode="force") not in ("RUNNING", "COMPLETING"):
        time.sleep(0.5)
    long.cancel()
    while not long.watcher.get_state(long.job_id, mode="force").startswith("CANCELLED"):
        time.sleep(0.5)
    print("submitit: a cancelled job is", long.watcher.get_state(long.job_id, mode="force"))

    executor.update_parameters(time=1, signal_delay_s=30)
    counting = executor.submit(Counting(), 70)
    assert counting.result() == 70
    print("submitit: a job of 70 s with a limit of 1 min was queued again and went on where it was")


if __name__ == "__main__":
    main(sys.argv[1])
