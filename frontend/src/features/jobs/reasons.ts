/** Slurm's words for why a job waits, as sentences. What is not here is shown as it is. */
const words: Record<string, string> = {
  None: 'About to be looked at',
  Resources: 'Waiting for free nodes',
  Priority: 'Behind jobs of higher priority',
  Dependency: 'Waiting for another job',
  DependencyNeverSatisfied: 'Waits for a job that will never end as asked',
  BeginTime: 'Not before its begin time',
  JobHeldUser: 'Held by its owner',
  JobHeldAdmin: 'Held by an administrator',
  PartitionDown: 'Its partition is down',
  PartitionInactive: 'Its partition is inactive',
  PartitionTimeLimit: 'Asks for more time than its partition allows',
  PartitionNodeLimit: 'Asks for more nodes than its partition allows',
  ReqNodeNotAvail: 'A node that it asks for is not available',
  Reservation: 'Waiting for its reservation',
  JobArrayTaskLimit: 'Enough tasks of its array run',
  Licenses: 'Waiting for licences',
  BadConstraints: 'No node can ever hold it',
  Cleaning: 'Its last run is being cleared away',
  JobHoldMaxRequeue: 'Requeued too often',
  QOSMaxJobsPerUserLimit: 'You run as many jobs as your QOS allows',
  AssocMaxJobsLimit: 'The account runs as many jobs as it may',
  AssocGrpGRES: 'The account uses as many GPUs as it may',
  InvalidAccount: 'Its account is not valid',
  InvalidQOS: 'Its QOS is not valid',
};

export function reasonWords(reason: string): string {
  const name = reason.replace(/^\(|\)$/g, '');
  return words[name] ?? words[name.split(/[,:( ]/)[0] ?? ''] ?? name;
}
