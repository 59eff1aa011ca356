package dev.spur.api.client;

/// Who pays for the memory that answers take.
public interface AnswerAccount {
    /// A process that serves nobody else.
    AnswerAccount NOBODYS =
            new AnswerAccount() {
                @Override
                public void ask() {}

                @Override
                public void hold(long bytes) {}
            };

    /// Something new is asked: what was answered before is done with.
    void ask();

    /// So many bytes of the answer are about to be in memory. Waits until there is room; its
    /// exception is what whoever asked gets.
    void hold(long bytes);
}
