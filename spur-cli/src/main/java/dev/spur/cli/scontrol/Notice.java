package dev.spur.cli.scontrol;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.NotifyJobRequest;
import dev.spur.model.ErrorCode;
import java.util.List;

/// `notify`: a line on the standard error of a job.
final class Notice {
    private Notice() {}

    static int send(Session session, List<String> words) {
        if (words.size() < 2) {
            return Verbs.tooFew(session, "notify");
        }
        var failure = "job notify failure: ";
        if (!JobActions.isId(words.getFirst())) {
            return session.fail(failure + ErrorCode.INVALID_JOB.text());
        }
        var request =
                NotifyJobRequest.newBuilder()
                        .setId(words.getFirst())
                        .setMessage(String.join(" ", words.subList(1, words.size())))
                        .build();
        try {
            session.controller().call(controller -> controller.notifyJob(request));
            return 0;
        } catch (ControllerException refusal) {
            return session.fail(failure + Verbs.told(refusal));
        }
    }
}
