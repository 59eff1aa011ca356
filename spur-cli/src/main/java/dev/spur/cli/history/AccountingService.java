package dev.spur.cli.history;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.HistoryClient;
import dev.spur.api.v1.PingRequest;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.model.notation.HostAndPort;

/// Where spurdbd is: at `SPUR_ACCOUNTING_ADDR`, else where the controller says.
public final class AccountingService {
    private static final int PORT = 6819;

    private AccountingService() {}

    /// No spurdbd has ever come to this cluster.
    public static final class NotThereException
            extends dev.spur.api.records.JobHistories.NoAccountingException {
        private static final long serialVersionUID = 1;
    }

    /// @throws NotThereException if the cluster keeps no accounting
    public static HistoryClient of(Invocation in, ControllerClient client) {
        var said = in.environment("SPUR_ACCOUNTING_ADDR");
        var address =
                said == null || said.isBlank()
                        ? client.call(controller ->
                                        controller.ping(PingRequest.getDefaultInstance()))
                                .getAccountingAddress()
                        : said;
        if (address.isEmpty()) {
            throw new NotThereException();
        }
        try {
            return client.history(HostAndPort.parse(address, PORT));
        } catch (IllegalArgumentException e) {
            throw new Failure("SPUR_ACCOUNTING_ADDR: " + e.getMessage());
        }
    }
}
