// Made by `npm run types` from /api/v1/openapi.json. Not edited by hand.
export interface paths {
    readonly "/api/v1/accounts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The accounts that you may see. */
        readonly get: operations["listAccounts"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/associations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Who may use how much, with what was used of late. */
        readonly get: operations["listAssociations"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Changes as they happen, text/event-stream. Last-Event-ID, or cursor, goes on where another stream ended. */
        readonly get: operations["watch"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/history": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Jobs of the past and of the present; of today, unless from says more. */
        readonly get: operations["listHistory"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/history/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** All attempts of one job, with its steps. */
        readonly get: operations["getHistory"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/job/submit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Submits a job. */
        readonly post: operations["submitJobAsSlurm"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The jobs that you may see, also those that ended a moment ago. */
        readonly get: operations["listJobs"];
        readonly put?: never;
        /** Submits a job. */
        readonly post: operations["submitJob"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One job: 12, or 12_3 for a task of an array. */
        readonly get: operations["getJob"];
        readonly put?: never;
        readonly post?: never;
        /** Ends a job. */
        readonly delete: operations["cancelJob"];
        readonly options?: never;
        readonly head?: never;
        /** Changes a job. */
        readonly patch: operations["changeJob"];
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Ends a job. */
        readonly post: operations["cancelJobNow"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{id}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Changes of one job, or of the tasks of an array, as they happen. */
        readonly get: operations["watchJob"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{id}/explanation": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Why a job waits, and what would start it sooner. */
        readonly get: operations["explainJob"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{id}/hold": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Lets a job wait until it is released. */
        readonly post: operations["holdJob"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{id}/output": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** What a job printed; with follow also what it will print, until it ends. */
        readonly get: operations["getOutput"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{id}/release": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Releases a job that is held. */
        readonly post: operations["releaseJob"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{id}/requeue": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Ends a job and lets it begin anew. */
        readonly post: operations["requeueJob"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Lets a job go on that stands still. */
        readonly post: operations["resumeJob"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{id}/script": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The script of a job. */
        readonly get: operations["getScript"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{id}/signal": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Sends a signal to the processes of a job. */
        readonly post: operations["signalJob"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{id}/steps": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The steps of a job that run. */
        readonly get: operations["listStepsOfJob"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{id}/suspend": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Lets the processes of a job stand still. */
        readonly post: operations["suspendJob"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nodes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The nodes. */
        readonly get: operations["listNodes"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nodes/{name}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One node. */
        readonly get: operations["getNode"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /** Changes a node: state, reason, comment, features, weight. */
        readonly patch: operations["changeNode"];
        readonly trace?: never;
    };
    readonly "/api/v1/nodes/{name}/drain": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Lets a node take no new jobs. */
        readonly post: operations["drainNode"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nodes/{name}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Lets a node take jobs again. */
        readonly post: operations["resumeNode"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/partitions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The partitions. */
        readonly get: operations["listPartitions"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/partitions/{name}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One partition. */
        readonly get: operations["getPartition"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/ping": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Whether the cluster answers, and whom it takes you for. */
        readonly get: operations["ping"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/plan": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The jobs that wait, in the order of the queue: why, and when and where they are expected to start. */
        readonly get: operations["getPlan"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/qos": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The qualities of service. */
        readonly get: operations["listQos"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/reservations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The reservations. */
        readonly get: operations["listReservations"];
        readonly put?: never;
        /** Makes a reservation. */
        readonly post: operations["createReservation"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/reservations/{name}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One reservation. */
        readonly get: operations["getReservation"];
        readonly put?: never;
        readonly post?: never;
        /** Takes a reservation back. */
        readonly delete: operations["deleteReservation"];
        readonly options?: never;
        readonly head?: never;
        /** Changes a reservation. */
        readonly patch: operations["changeReservation"];
        readonly trace?: never;
    };
    readonly "/api/v1/statistics": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** How busy the controller is. */
        readonly get: operations["getStatistics"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/steps": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The steps that run. */
        readonly get: operations["listSteps"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/usage/{report}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** What was used: cluster, accounts, users or top-users; whole hours, of the last day unless from says more. */
        readonly get: operations["getUsage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/users": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The users that you may see. */
        readonly get: operations["listUsers"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly Account: {
            /** @description who looks after it */
            readonly coordinators?: readonly string[];
            /** @description what it is for */
            readonly description?: string;
            /** @description name */
            readonly name?: string;
            /** @description whose it is */
            readonly organization?: string;
            /** @description account above it */
            readonly parent?: string;
        };
        readonly Allocation: {
            /** @description which CPUs, 0-3 */
            readonly cpu_ids?: string;
            /** @description CPUs */
            readonly cpus?: number | null;
            /** @description devices */
            readonly gres?: readonly components["schemas"]["Gres"][];
            /** @description memory in MiB */
            readonly memory_mb?: number | null;
            /** @description node */
            readonly node?: string;
        };
        readonly Association: {
            /** @description account */
            readonly account?: string;
            /** @description comment */
            readonly comment?: string;
            /** @description whether it is the user's default */
            readonly default?: boolean;
            /** @description QOS of jobs that name none */
            readonly default_qos?: string;
            /** @description its fair share factor */
            readonly fair_share?: number;
            /** @description jobs that run at once, of all below */
            readonly grp_jobs?: number | null;
            /** @description jobs that grow older at once, of all below */
            readonly grp_jobs_accrue?: number | null;
            /** @description jobs that wait or run, of all below */
            readonly grp_submit_jobs?: number | null;
            /** @description resources at once, of all below */
            readonly grp_tres?: {
                readonly [key: string]: number;
            };
            /** @description minutes of resources, of all below */
            readonly grp_tres_minutes?: {
                readonly [key: string]: number;
            };
            /** @description minutes that running jobs may still use */
            readonly grp_tres_run_minutes?: {
                readonly [key: string]: number;
            };
            /** @description minutes that jobs may run, of all below */
            readonly grp_wall_minutes?: number | null;
            /** @description number */
            readonly id?: number | null;
            /** @description jobs that run at once, of each */
            readonly max_jobs?: number | null;
            /** @description jobs that grow older at once, of each */
            readonly max_jobs_accrue?: number | null;
            /** @description jobs that wait or run, of each */
            readonly max_submit_jobs?: number | null;
            /** @description minutes of resources of a job */
            readonly max_tres_minutes_per_job?: {
                readonly [key: string]: number;
            };
            /** @description resources of a job */
            readonly max_tres_per_job?: {
                readonly [key: string]: number;
            };
            /** @description resources of a job on each node */
            readonly max_tres_per_node?: {
                readonly [key: string]: number;
            };
            /** @description minutes of a job */
            readonly max_wall_minutes?: number | null;
            /** @description priority from which jobs grow older */
            readonly min_priority_threshold?: number | null;
            /** @description account above it */
            readonly parent?: string;
            /** @description partition; empty: all */
            readonly partition?: string;
            /** @description part of its jobs' priority */
            readonly priority?: number | null;
            /** @description QOS it may use */
            readonly qos?: readonly string[];
            /** @description jobs that run */
            readonly running?: number | null;
            /** @description share among those beside it */
            readonly shares?: number | null;
            /** @description jobs that wait or run */
            readonly submitted?: number | null;
            /** @description what it used of late, in billing seconds */
            readonly usage?: number;
            /** @description user; empty: the account itself */
            readonly user?: string;
        };
        readonly Call: {
            /** @description how often */
            readonly count?: number | null;
            /** @description what or who */
            readonly name?: string;
            /** @description microseconds in all */
            readonly total_micros?: number | null;
            /** @description uid */
            readonly uid?: number | null;
        };
        readonly Explanation: {
            /** @description jobs looked at before it */
            readonly ahead?: readonly components["schemas"]["JobAhead"][];
            /** @description how many those are */
            readonly ahead_total?: number | null;
            /** @description why it waits */
            readonly because?: string;
            /** @description whether there was more to try than was tried */
            readonly exhausted?: boolean;
            /** @description jobs on nodes that it could use */
            readonly in_the_way?: readonly components["schemas"]["JobInTheWay"][];
            /** @description how many those are */
            readonly in_the_way_total?: number | null;
            /** @description what is planned for it */
            readonly plan?: readonly components["schemas"]["PlannedJob"][];
            /** @description jobs in the queue */
            readonly queued?: number | null;
            /** @description state of the job */
            readonly state?: string;
            /** @description what would start it sooner */
            readonly suggestions?: readonly components["schemas"]["Suggestion"][];
        };
        readonly Gres: {
            /** @description which of them, 0-3 */
            readonly indices?: string;
            /** @description kind of device */
            readonly name?: string;
            /** @description model */
            readonly type?: string;
        };
        readonly Job: {
            /** @description account that is charged */
            readonly account?: string;
            /**
             * Format: date-time
             * @description since when its age counts
             */
            readonly accruing_at?: string | null;
            /** @description the administrators' comment */
            readonly admin_comment?: string;
            /** @description what each node gives */
            readonly allocations?: readonly components["schemas"]["Allocation"][];
            /** @description number of the array that it is a task of */
            readonly array_id?: number | null;
            /** @description its place in the array */
            readonly array_task?: number | null;
            /** @description all tasks of the array */
            readonly array_tasks?: string;
            /** @description how many of its tasks may run at once */
            readonly array_throttle?: number | null;
            /** @description tasks of the array that have not started, as 3-10%2 */
            readonly array_waiting?: string;
            /** @description number of this try */
            readonly attempt?: number | null;
            /** @description whether it has a script */
            readonly batch?: boolean;
            /** @description where its script runs */
            readonly batch_host?: string;
            /** @description what it counts for */
            readonly billing?: number;
            /** @description cluster */
            readonly cluster?: string;
            /** @description features of its cluster */
            readonly cluster_features?: string;
            /** @description script or command */
            readonly command?: string;
            /** @description the owner's comment */
            readonly comment?: string;
            /**
             * Format: date-time
             * @description when the scheduler looked at it last
             */
            readonly considered_at?: string | null;
            /** @description container */
            readonly container?: string;
            /** @description whether its nodes must be neighbours */
            readonly contiguous?: boolean;
            /** @description cores of each node left to the system */
            readonly core_spec?: number | null;
            /** @description cores a socket must have */
            readonly cores_per_socket?: number | null;
            /** @description CPUs */
            readonly cpus?: number | null;
            /** @description CPUs of each task */
            readonly cpus_per_task?: number | null;
            /** @description CPUs for each device, gres:gpu:4 */
            readonly cpus_per_tres?: string;
            /**
             * Format: date-time
             * @description when it must have ended
             */
            readonly deadline?: string | null;
            /** @description how long it waits before nodes are booted for it */
            readonly delay_boot_seconds?: number | null;
            /** @description what it waits for */
            readonly dependency?: string;
            /**
             * Format: date-time
             * @description when it may start
             */
            readonly eligible_at?: string | null;
            /**
             * Format: date-time
             * @description when it ended, or has to
             */
            readonly ends_at?: string | null;
            /** @description nodes it must not have */
            readonly excluded_nodes?: string;
            /** @description how its script ended */
            readonly exit?: {
                readonly code: number;
                readonly signal: number;
            };
            /** @description node by which it failed */
            readonly failed_node?: string;
            /** @description features of its nodes */
            readonly features?: string;
            /** @description further wishes */
            readonly flags?: readonly string[];
            /** @description gid */
            readonly gid?: number | null;
            /** @description devices on each node */
            readonly gres_detail?: readonly string[];
            /** @description name of the group */
            readonly group?: string;
            /** @description whether it is held */
            readonly held?: boolean;
            /** @description number of the heterogeneous job that it is a part of */
            readonly het_id?: number | null;
            /** @description its place there */
            readonly het_offset?: number | null;
            /** @description number of the job */
            readonly id?: number | null;
            /** @description licenses */
            readonly licenses?: string;
            /** @description when mail is sent */
            readonly mail_on?: readonly string[];
            /** @description who gets mail */
            readonly mail_user?: string;
            /** @description most nodes; 0: as many as it needs */
            readonly max_nodes?: number | null;
            /** @description MCS label */
            readonly mcs_label?: string;
            /** @description memory for each CPU in MiB */
            readonly memory_per_cpu_mb?: number | null;
            /** @description memory on each node in MiB */
            readonly memory_per_node_mb?: number | null;
            /** @description memory for each device, gres:gpu:4096 */
            readonly memory_per_tres?: string;
            /** @description CPUs a node must have */
            readonly min_cpus_per_node?: number | null;
            /** @description name */
            readonly name?: string;
            /** @description network */
            readonly network?: string;
            /** @description what its owner gives up of it */
            readonly nice?: number | null;
            /** @description number of nodes */
            readonly node_count?: number | null;
            /** @description nodes it has */
            readonly nodes?: string;
            /** @description partition, several by comma */
            readonly partition?: string;
            /** @description nodes it is expected to get */
            readonly planned_nodes?: string;
            /**
             * Format: date-time
             * @description when it was told to make room
             */
            readonly preempted_at?: string | null;
            /** @description features it would like */
            readonly prefer?: string;
            /** @description priority */
            readonly priority?: number | null;
            /** @description quality of service */
            readonly qos?: string;
            /** @description why it waits or has failed */
            readonly reason?: string;
            /** @description more about that */
            readonly reason_detail?: string;
            /** @description whether it may begin anew */
            readonly requeue?: boolean;
            /** @description nodes it must have */
            readonly required_nodes?: string;
            /** @description reservation */
            readonly reservation?: string;
            /** @description how often it began anew */
            readonly restarts?: number | null;
            /** @description how long it ran */
            readonly run_seconds?: number | null;
            /** @description how long it ran until then */
            readonly run_seconds_before_suspension?: number | null;
            /** @description how it shares nodes */
            readonly sharing?: string;
            /** @description sockets a node must have */
            readonly sockets_per_node?: number | null;
            /**
             * Format: date-time
             * @description when it started, or is expected to
             */
            readonly started_at?: string | null;
            /** @description state, as squeue shows it */
            readonly state?: string;
            /** @description state without what goes on, then what goes on */
            readonly states?: readonly string[];
            /** @description file of its errors */
            readonly std_err?: string;
            /** @description file of its input */
            readonly std_in?: string;
            /** @description file of its output */
            readonly std_out?: string;
            /** @description host from which it was submitted */
            readonly submit_host?: string;
            /** @description command that submitted it */
            readonly submit_line?: string;
            /**
             * Format: date-time
             * @description when it was submitted
             */
            readonly submitted_at?: string | null;
            /**
             * Format: date-time
             * @description when it was suspended
             */
            readonly suspended_at?: string | null;
            /** @description switches, COUNT@TIME */
            readonly switches?: string;
            /** @description tasks */
            readonly tasks?: number | null;
            /** @description tasks on each core */
            readonly tasks_per_core?: number | null;
            /** @description tasks for each GPU */
            readonly tasks_per_gpu?: number | null;
            /** @description tasks on each node; 0: any */
            readonly tasks_per_node?: number | null;
            /** @description tasks on each socket */
            readonly tasks_per_socket?: number | null;
            /** @description threads a core must have */
            readonly threads_per_core?: number | null;
            /** @description minutes it may run */
            readonly time_limit?: number | null;
            /** @description minutes that will do */
            readonly time_min?: number | null;
            /** @description temporary disk space in MiB */
            readonly tmp_disk_mb?: number | null;
            /** @description resources asked for */
            readonly tres?: {
                readonly [key: string]: number;
            };
            /** @description resources it has or had */
            readonly tres_allocated?: {
                readonly [key: string]: number;
            };
            /** @description how tasks are bound to devices */
            readonly tres_bind?: string;
            /** @description devices in all */
            readonly tres_per_job?: string;
            /** @description devices on each node */
            readonly tres_per_node?: string;
            /** @description devices on each socket */
            readonly tres_per_socket?: string;
            /** @description devices for each task */
            readonly tres_per_task?: string;
            /** @description uid of the owner */
            readonly uid?: number | null;
            /** @description name of the owner */
            readonly user?: string;
            /** @description workload characterization key */
            readonly wckey?: string;
            /** @description working directory */
            readonly work_dir?: string;
            /** @description the worst end of its steps */
            readonly worst_exit?: {
                readonly code: number;
                readonly signal: number;
            };
        };
        readonly JobAhead: {
            /** @description job */
            readonly id?: string;
            /** @description partition */
            readonly partition?: string;
            /** @description priority */
            readonly priority?: number | null;
            /**
             * Format: date-time
             * @description when it is expected to start
             */
            readonly starts_at?: string | null;
            /** @description whose */
            readonly user?: string;
        };
        readonly JobDescription: {
            readonly account?: string;
            readonly account_gather_frequency?: string;
            readonly admin_comment?: string;
            readonly allocation_node_list?: string;
            readonly allocation_node_port?: number;
            readonly argv?: readonly string[];
            readonly array?: string;
            readonly batch_features?: string;
            readonly begin_time?: number;
            readonly burst_buffer?: string;
            readonly cluster_constraint?: string;
            readonly clusters?: string;
            readonly comment?: string;
            readonly constraints?: string;
            readonly container?: string;
            readonly container_id?: string;
            readonly contiguous?: boolean;
            readonly core_specification?: number;
            readonly cpu_binding?: string;
            readonly cpu_binding_flags?: readonly string[];
            readonly cpu_frequency?: string;
            readonly cpus_per_task?: number;
            readonly cpus_per_tres?: string;
            readonly crontab?: Record<string, never>;
            readonly current_working_directory?: string;
            readonly deadline?: number;
            readonly delay_boot?: number;
            readonly dependency?: string;
            readonly distribution?: string;
            readonly distribution_plane_size?: number;
            readonly end_time?: number;
            readonly environment?: readonly string[];
            readonly excluded_nodes?: readonly string[];
            readonly extra?: string;
            readonly flags?: readonly string[];
            readonly group_id?: string;
            readonly hetjob_group?: number;
            readonly hold?: boolean;
            readonly immediate?: boolean;
            readonly job_id?: number;
            readonly kill_on_node_fail?: boolean;
            readonly kill_warning_delay?: number;
            readonly kill_warning_flags?: readonly string[];
            readonly kill_warning_signal?: string;
            readonly licenses?: string;
            readonly mail_type?: readonly string[];
            readonly mail_user?: string;
            readonly maximum_cpus?: number;
            readonly maximum_nodes?: number;
            readonly mcs_label?: string;
            readonly memory_binding?: string;
            readonly memory_binding_type?: readonly string[];
            readonly memory_per_cpu?: number;
            readonly memory_per_node?: number;
            readonly memory_per_tres?: string;
            readonly minimum_boards_per_node?: number;
            readonly minimum_cpus?: number;
            readonly minimum_cpus_per_node?: number;
            readonly minimum_nodes?: number;
            readonly minimum_sockets_per_board?: number;
            readonly name?: string;
            readonly network?: string;
            readonly nice?: number;
            readonly nodes?: string;
            readonly ntasks_per_tres?: number;
            readonly oom_kill_step?: number;
            readonly open_mode?: readonly string[];
            readonly overcommit?: boolean;
            readonly partition?: string;
            readonly power_flags?: readonly string[];
            readonly prefer?: string;
            readonly priority?: number;
            readonly profile?: readonly string[];
            readonly qos?: string;
            readonly reboot?: boolean;
            readonly requeue?: boolean;
            readonly required_nodes?: readonly string[];
            readonly required_switches?: number;
            readonly reservation?: string;
            readonly reserve_ports?: number;
            readonly rlimits?: Record<string, never>;
            readonly script?: string;
            readonly segment_size?: number;
            readonly selinux_context?: string;
            readonly shared?: readonly string[];
            readonly site_factor?: number;
            readonly sockets_per_node?: number;
            readonly spank_environment?: readonly string[];
            readonly standard_error?: string;
            readonly standard_input?: string;
            readonly standard_output?: string;
            readonly tasks?: number;
            readonly tasks_per_board?: number;
            readonly tasks_per_core?: number;
            readonly tasks_per_node?: number;
            readonly tasks_per_socket?: number;
            readonly temporary_disk_per_node?: number;
            readonly thread_specification?: number;
            readonly threads_per_core?: number;
            readonly time_limit?: number;
            readonly time_minimum?: number;
            readonly tres_bind?: string;
            readonly tres_freq?: string;
            readonly tres_per_job?: string;
            readonly tres_per_node?: string;
            readonly tres_per_socket?: string;
            readonly tres_per_task?: string;
            /** @description of a change: Key=Value, as explanations suggest */
            readonly update?: readonly string[];
            readonly user_id?: string;
            readonly wait_all_nodes?: boolean;
            readonly wait_for_switch?: number;
            readonly wckey?: string;
            readonly x11?: readonly string[];
            readonly x11_magic_cookie?: string;
            readonly x11_target_host?: string;
            readonly x11_target_port?: number;
        };
        readonly JobInTheWay: {
            /** @description job */
            readonly id?: string;
            /** @description nodes it has that could be used */
            readonly nodes?: number | null;
            /**
             * Format: date-time
             * @description when it ends at the latest
             */
            readonly until?: string | null;
            /** @description whose */
            readonly user?: string;
        };
        readonly JobSubmission: {
            readonly job?: components["schemas"]["JobDescription"];
            /** @description parts of a heterogeneous job */
            readonly jobs?: readonly components["schemas"]["JobDescription"][];
            readonly script?: string;
        };
        readonly Node: {
            /** @description features in force */
            readonly active_features?: readonly string[];
            /** @description where it is reached */
            readonly address?: string;
            /**
             * Format: date-time
             * @description when its spurd started
             */
            readonly agent_started_at?: string | null;
            /** @description processor */
            readonly architecture?: string;
            /** @description boards */
            readonly boards?: number | null;
            /**
             * Format: date-time
             * @description when it booted
             */
            readonly booted_at?: string | null;
            /**
             * Format: date-time
             * @description when it was busy last
             */
            readonly busy_at?: string | null;
            /** @description comment */
            readonly comment?: string;
            /** @description cores of each */
            readonly cores_per_socket?: number | null;
            /** @description load, 100 for each busy CPU */
            readonly cpu_load_percent?: number | null;
            /** @description CPUs */
            readonly cpus?: number | null;
            /** @description CPUs in use */
            readonly cpus_allocated?: number | null;
            /** @description CPUs that are free */
            readonly cpus_idle?: number | null;
            /** @description what others keep here */
            readonly extra?: string;
            /** @description features */
            readonly features?: readonly string[];
            /** @description devices */
            readonly gres?: string;
            /** @description devices in use */
            readonly gres_used?: string;
            /** @description host name */
            readonly host?: string;
            /** @description memory in use in MiB */
            readonly memory_allocated_mb?: number | null;
            /** @description memory that the system calls free, in MiB */
            readonly memory_free_mb?: number | null;
            /** @description memory in MiB */
            readonly memory_mb?: number | null;
            /** @description name */
            readonly name?: string;
            /** @description system */
            readonly operating_system?: string;
            /** @description partitions */
            readonly partitions?: readonly string[];
            /** @description port */
            readonly port?: number | null;
            /** @description why it is out of service */
            readonly reason?: string;
            /**
             * Format: date-time
             * @description when that was
             */
            readonly reason_at?: string | null;
            /** @description who said so */
            readonly reason_user?: string;
            /** @description reservation that stands now */
            readonly reservation?: string;
            /** @description sockets */
            readonly sockets?: number | null;
            /** @description state without what goes on */
            readonly state?: string;
            /** @description state, then what goes on */
            readonly states?: readonly string[];
            /** @description threads of each */
            readonly threads_per_core?: number | null;
            /** @description temporary disk in MiB */
            readonly tmp_disk_mb?: number | null;
            /** @description resources */
            readonly tres?: {
                readonly [key: string]: number;
            };
            /** @description resources in use */
            readonly tres_allocated?: {
                readonly [key: string]: number;
            };
            /** @description version of its spurd */
            readonly version?: string;
            /** @description who is lighter is taken first */
            readonly weight?: number | null;
        };
        readonly NodeChange: {
            readonly active_features?: readonly string[];
            readonly comment?: string;
            readonly features?: readonly string[];
            readonly reason?: string;
            readonly state?: string;
            readonly weight?: number;
        };
        readonly Partition: {
            /** @description accounts that may use it; none: all */
            readonly allowed_accounts?: readonly string[];
            /** @description groups that may use it; none: all */
            readonly allowed_groups?: readonly string[];
            /** @description QOS that may use it; none: all */
            readonly allowed_qos?: readonly string[];
            /** @description CPUs */
            readonly cpus?: number | null;
            /** @description whether jobs go here that name none */
            readonly default?: boolean;
            /** @description memory for each CPU of a job that says none, in MiB */
            readonly default_memory_per_cpu_mb?: number | null;
            /** @description memory on each node of a job that says none, in MiB */
            readonly default_memory_per_node_mb?: number | null;
            /** @description minutes of a job that says none */
            readonly default_time?: number | null;
            /** @description accounts that may not */
            readonly denied_accounts?: readonly string[];
            /** @description QOS that may not */
            readonly denied_qos?: readonly string[];
            /** @description time they have for that */
            readonly grace_seconds?: number | null;
            /** @description whether others do not see it */
            readonly hidden?: boolean;
            /** @description most CPUs on each node */
            readonly max_cpus_per_node?: number | null;
            /** @description most memory for each CPU, in MiB */
            readonly max_memory_per_cpu_mb?: number | null;
            /** @description most memory on each node, in MiB */
            readonly max_memory_per_node_mb?: number | null;
            /** @description most nodes of a job */
            readonly max_nodes?: number | null;
            /** @description most minutes of a job */
            readonly max_time?: number | null;
            /** @description fewest nodes of a job */
            readonly min_nodes?: number | null;
            /** @description name */
            readonly name?: string;
            /** @description number of nodes */
            readonly node_count?: number | null;
            /** @description nodes */
            readonly nodes?: string;
            /** @description whether jobs share nodes here */
            readonly oversubscribe?: string;
            /** @description how its jobs make room */
            readonly preempt_mode?: string;
            /** @description part of its jobs' priority */
            readonly priority_factor?: number | null;
            /** @description whether only root submits here */
            readonly root_only?: boolean;
            /** @description UP, DOWN, DRAIN or INACTIVE */
            readonly state?: string;
            /** @description who is higher comes first */
            readonly tier?: number | null;
            /** @description resources */
            readonly tres?: {
                readonly [key: string]: number;
            };
        };
        readonly PastStep: {
            /** @description how tasks were laid out */
            readonly distribution?: string;
            /**
             * Format: date-time
             * @description when it ended
             */
            readonly ended_at?: string | null;
            /** @description how it ended */
            readonly exit?: {
                readonly code: number;
                readonly signal: number;
            };
            /** @description job and step, as 12.0 */
            readonly id?: string;
            /** @description most memory of a task in KiB */
            readonly max_rss_kb?: number | null;
            /** @description name */
            readonly name?: string;
            /** @description number of nodes */
            readonly node_count?: number | null;
            /** @description nodes */
            readonly nodes?: string;
            /** @description how long it ran */
            readonly run_seconds?: number | null;
            /**
             * Format: date-time
             * @description when it started
             */
            readonly started_at?: string | null;
            /** @description state */
            readonly state?: string;
            /** @description command that started it */
            readonly submit_line?: string;
            /** @description how long it stood still */
            readonly suspended_seconds?: number | null;
            /** @description processor time of the system */
            readonly system_micros?: number | null;
            /** @description tasks */
            readonly tasks?: number | null;
            /** @description resources */
            readonly tres?: {
                readonly [key: string]: number;
            };
            /** @description processor time of programs */
            readonly user_micros?: number | null;
        };
        readonly PlannedJob: {
            /** @description number of its array */
            readonly array_id?: number | null;
            /** @description its place in the array */
            readonly array_task?: number | null;
            /** @description tasks that wait */
            readonly array_waiting?: string;
            /**
             * Format: date-time
             * @description when the scheduler looked at it last
             */
            readonly considered_at?: string | null;
            /** @description number of the job */
            readonly id?: number | null;
            /** @description nodes it is expected to get */
            readonly nodes?: string;
            /** @description partition */
            readonly partition?: string;
            /** @description place in the queue; 1 is looked at first */
            readonly place?: number | null;
            /** @description why it waits */
            readonly reason?: string;
            /** @description more about that */
            readonly reason_detail?: string;
            /**
             * Format: date-time
             * @description when it is expected to start
             */
            readonly starts_at?: string | null;
        };
        readonly Problem: {
            readonly because: string;
            /** @description does not change */
            readonly code: string;
            /** @description Slurm's number */
            readonly errno: number;
            readonly remedy: string;
            readonly status: number;
            readonly title: string;
            readonly type: string;
        };
        readonly Qos: {
            /** @description what it is for */
            readonly description?: string;
            /** @description flags */
            readonly flags?: readonly string[];
            /** @description time to make room */
            readonly grace_seconds?: number | null;
            /** @description jobs that run at once */
            readonly grp_jobs?: number | null;
            /** @description jobs that grow older at once */
            readonly grp_jobs_accrue?: number | null;
            /** @description jobs that wait or run */
            readonly grp_submit_jobs?: number | null;
            /** @description resources at once */
            readonly grp_tres?: {
                readonly [key: string]: number;
            };
            /** @description minutes of resources */
            readonly grp_tres_minutes?: {
                readonly [key: string]: number;
            };
            /** @description minutes that running jobs may still use */
            readonly grp_tres_run_minutes?: {
                readonly [key: string]: number;
            };
            /** @description minutes that its jobs may run */
            readonly grp_wall_minutes?: number | null;
            /** @description number */
            readonly id?: number | null;
            /** @description jobs of an account that grow older at once */
            readonly max_jobs_accrue_per_account?: number | null;
            /** @description jobs of a user that grow older at once */
            readonly max_jobs_accrue_per_user?: number | null;
            /** @description jobs of an account that run at once */
            readonly max_jobs_per_account?: number | null;
            /** @description jobs of a user that run at once */
            readonly max_jobs_per_user?: number | null;
            /** @description jobs of an account that wait or run */
            readonly max_submit_per_account?: number | null;
            /** @description jobs of a user that wait or run */
            readonly max_submit_per_user?: number | null;
            /** @description minutes of resources of a job */
            readonly max_tres_minutes_per_job?: {
                readonly [key: string]: number;
            };
            /** @description resources of an account */
            readonly max_tres_per_account?: {
                readonly [key: string]: number;
            };
            /** @description resources of a job */
            readonly max_tres_per_job?: {
                readonly [key: string]: number;
            };
            /** @description resources of a job on each node */
            readonly max_tres_per_node?: {
                readonly [key: string]: number;
            };
            /** @description resources of a user */
            readonly max_tres_per_user?: {
                readonly [key: string]: number;
            };
            /** @description minutes that running jobs of an account may still use */
            readonly max_tres_run_minutes_per_account?: {
                readonly [key: string]: number;
            };
            /** @description minutes that running jobs of a user may still use */
            readonly max_tres_run_minutes_per_user?: {
                readonly [key: string]: number;
            };
            /** @description minutes of a job */
            readonly max_wall_minutes?: number | null;
            /** @description priority from which jobs grow older */
            readonly min_priority_threshold?: number | null;
            /** @description least resources of a job */
            readonly min_tres_per_job?: {
                readonly [key: string]: number;
            };
            /** @description name */
            readonly name?: string;
            /** @description how long its jobs are left alone */
            readonly preempt_exempt_seconds?: number | null;
            /** @description how its jobs make room */
            readonly preempt_mode?: string;
            /** @description QOS that make room for it */
            readonly preempts?: readonly string[];
            /** @description part of its jobs' priority */
            readonly priority?: number | null;
            /** @description by which its usage counts */
            readonly usage_factor?: number;
        };
        readonly Reason: {
            readonly reason: string;
        };
        readonly Record: {
            /** @description account that was charged */
            readonly account?: string;
            /** @description the administrators' comment */
            readonly admin_comment?: string;
            /** @description number of the array that it is a task of */
            readonly array_id?: number | null;
            /** @description its place in the array */
            readonly array_task?: number | null;
            /** @description tasks of the array that have not started */
            readonly array_waiting?: string;
            /** @description number of this try */
            readonly attempt?: number | null;
            /** @description cluster */
            readonly cluster?: string;
            /** @description the owner's comment */
            readonly comment?: string;
            /** @description features it asked for */
            readonly constraint?: string;
            /** @description container */
            readonly container?: string;
            /** @description CPUs it had */
            readonly cpus?: number | null;
            /** @description CPUs it asked for */
            readonly cpus_requested?: number | null;
            /**
             * Format: date-time
             * @description when it might start
             */
            readonly eligible_at?: string | null;
            /**
             * Format: date-time
             * @description when it ended
             */
            readonly ended_at?: string | null;
            /** @description how its script ended */
            readonly exit?: {
                readonly code: number;
                readonly signal: number;
            };
            /** @description node by which it failed */
            readonly failed_node?: string;
            /** @description devices it had */
            readonly gres_used?: string;
            /** @description group */
            readonly group?: string;
            /** @description number of the heterogeneous job */
            readonly het_id?: number | null;
            /** @description its place there */
            readonly het_offset?: number | null;
            /** @description number of the job */
            readonly id?: number | null;
            /** @description licenses */
            readonly licenses?: string;
            /** @description MCS label */
            readonly mcs_label?: string;
            /** @description memory it asked for, of each node in MiB */
            readonly memory_mb?: number | null;
            /** @description memory it asked for, of each CPU in MiB */
            readonly memory_per_cpu_mb?: number | null;
            /** @description name */
            readonly name?: string;
            /** @description number of nodes */
            readonly node_count?: number | null;
            /** @description nodes it had */
            readonly nodes?: string;
            /** @description partition */
            readonly partition?: string;
            /** @description priority */
            readonly priority?: number | null;
            /** @description quality of service */
            readonly qos?: string;
            /** @description why it is in it */
            readonly reason?: string;
            /** @description reservation */
            readonly reservation?: string;
            /** @description how often it began anew */
            readonly restarts?: number | null;
            /** @description how long it ran */
            readonly run_seconds?: number | null;
            /**
             * Format: date-time
             * @description when it started
             */
            readonly started_at?: string | null;
            /** @description state */
            readonly state?: string;
            /** @description file of its errors */
            readonly std_err?: string;
            /** @description file of its input */
            readonly std_in?: string;
            /** @description file of its output */
            readonly std_out?: string;
            /** @description its steps */
            readonly steps?: readonly components["schemas"]["PastStep"][];
            /** @description command that submitted it */
            readonly submit_line?: string;
            /**
             * Format: date-time
             * @description when it was submitted
             */
            readonly submitted_at?: string | null;
            /** @description how long it stood still */
            readonly suspended_seconds?: number | null;
            /** @description the system's comment */
            readonly system_comment?: string;
            /** @description processor time of the system */
            readonly system_micros?: number | null;
            /** @description minutes it might run */
            readonly time_limit?: number | null;
            /** @description resources it had */
            readonly tres?: {
                readonly [key: string]: number;
            };
            /** @description resources it asked for */
            readonly tres_requested?: {
                readonly [key: string]: number;
            };
            /** @description uid of the owner */
            readonly uid?: number | null;
            /** @description name of the owner */
            readonly user?: string;
            /** @description processor time of programs */
            readonly user_micros?: number | null;
            /** @description how long it waited */
            readonly waited_seconds?: number | null;
            /** @description workload characterization key */
            readonly wckey?: string;
            /** @description working directory */
            readonly work_dir?: string;
            /** @description the worst end of its steps */
            readonly worst_exit?: {
                readonly code: number;
                readonly signal: number;
            };
        };
        readonly Reservation: {
            /** @description accounts that may use it; with - before each: that may not */
            readonly accounts?: readonly string[];
            /** @description whether it stands now */
            readonly active?: boolean;
            /** @description number of cores */
            readonly core_count?: number | null;
            /**
             * Format: date-time
             * @description when that ends
             */
            readonly ends_at?: string | null;
            /** @description features of its nodes */
            readonly features?: string;
            /** @description flags */
            readonly flags?: readonly string[];
            /** @description groups that may use it */
            readonly groups?: readonly string[];
            /** @description name */
            readonly name?: string;
            /** @description number of nodes */
            readonly node_count?: number | null;
            /** @description nodes */
            readonly nodes?: string;
            /** @description partition */
            readonly partition?: string;
            /** @description how long it may be unused before it goes */
            readonly purge_seconds?: number | null;
            /**
             * Format: date-time
             * @description when it, or its next turn, starts
             */
            readonly starts_at?: string | null;
            /** @description resources */
            readonly tres?: {
                readonly [key: string]: number;
            };
            /** @description who may use it; with - before each: who may not */
            readonly users?: readonly string[];
            /** @description time zone in which its turns keep their time */
            readonly zone?: string;
        };
        readonly ReservationDescription: {
            readonly accounts?: readonly string[];
            readonly core_count?: number;
            /** @description minutes */
            readonly duration?: number;
            /** Format: date-time */
            readonly ends_at?: string;
            readonly features?: string;
            readonly flags?: readonly string[];
            readonly groups?: readonly string[];
            readonly name?: string;
            readonly node_count?: number;
            readonly nodes?: string;
            readonly partition?: string;
            /** Format: date-time */
            readonly starts_at?: string;
            readonly users?: readonly string[];
        };
        readonly Row: {
            /** @description account */
            readonly account?: string;
            /** @description cluster */
            readonly cluster?: string;
            /** @description how much there was on average */
            readonly count?: number | null;
            /**
             * Format: date-time
             * @description from
             */
            readonly from?: string | null;
            /** @description jobs */
            readonly jobs?: number | null;
            /** @description reservation */
            readonly reservation?: string;
            /** @description by what they were: used, idle, down, … */
            readonly seconds?: {
                readonly [key: string]: number;
            };
            /** @description resource */
            readonly tres?: string;
            /**
             * Format: date-time
             * @description until
             */
            readonly until?: string | null;
            /** @description user */
            readonly user?: string;
            /** @description workload characterization key */
            readonly wckey?: string;
        };
        readonly Signal: {
            /** @description also to the script */
            readonly full?: boolean;
            /** @description name or number */
            readonly signal: string;
        };
        readonly Statistics: {
            /** @description calls by who asked */
            readonly callers?: readonly components["schemas"]["Call"][];
            /** @description calls by what was asked */
            readonly calls?: readonly components["schemas"]["Call"][];
            /** @description jobs cancelled */
            readonly cancelled?: number | null;
            /** @description jobs completed */
            readonly completed?: number | null;
            /** @description jobs failed */
            readonly failed?: number | null;
            /**
             * Format: date-time
             * @description the controller's time
             */
            readonly now?: string | null;
            /** @description calls that are being answered */
            readonly open_calls?: number | null;
            /** @description jobs that wait now */
            readonly pending?: number | null;
            /**
             * Format: date-time
             * @description when that was
             */
            readonly plan_at?: string | null;
            /** @description jobs it looked at */
            readonly plan_last_jobs?: number | null;
            /** @description microseconds of the last of them */
            readonly plan_last_micros?: number | null;
            /** @description microseconds of the longest of them */
            readonly plan_max_micros?: number | null;
            /** @description passes that look at everything */
            readonly plan_passes?: number | null;
            /** @description jobs it started */
            readonly plan_started?: number | null;
            /** @description microseconds of the last of them */
            readonly quick_last_micros?: number | null;
            /** @description microseconds of the longest of them */
            readonly quick_max_micros?: number | null;
            /** @description passes that start what fits */
            readonly quick_passes?: number | null;
            /** @description jobs that run now */
            readonly running?: number | null;
            /**
             * Format: date-time
             * @description since when it counts
             */
            readonly since?: string | null;
            /** @description jobs started */
            readonly started?: number | null;
            /** @description jobs submitted */
            readonly submitted?: number | null;
        };
        readonly Step: {
            /** @description CPUs */
            readonly cpus?: number | null;
            /** @description devices */
            readonly gres?: string;
            /** @description job and step, as 12.0 */
            readonly id?: string;
            /** @description number of the job */
            readonly job_id?: number | null;
            /** @description name */
            readonly name?: string;
            /** @description number of nodes */
            readonly node_count?: number | null;
            /** @description nodes */
            readonly nodes?: string;
            /** @description partition */
            readonly partition?: string;
            /** @description how long it runs */
            readonly run_seconds?: number | null;
            /**
             * Format: date-time
             * @description when it started
             */
            readonly started_at?: string | null;
            /** @description state */
            readonly state?: string;
            /** @description file of its errors */
            readonly std_err?: string;
            /** @description file of its input */
            readonly std_in?: string;
            /** @description file of its output */
            readonly std_out?: string;
            /** @description tasks */
            readonly tasks?: number | null;
            /** @description minutes it may run */
            readonly time_limit?: number | null;
            /** @description resources */
            readonly tres?: {
                readonly [key: string]: number;
            };
            /** @description uid of the owner */
            readonly uid?: number | null;
            /** @description name of the owner */
            readonly user?: string;
        };
        readonly Submitted: {
            readonly job_id: number;
            readonly warnings: readonly string[];
        };
        readonly Suggestion: {
            /** @description option to submit it with */
            readonly option?: string;
            /** @description whether releasing it does it */
            readonly release?: boolean;
            /**
             * Format: date-time
             * @description when it would start then
             */
            readonly starts_at?: string | null;
            /** @description what to change */
            readonly text?: string;
            /** @description for scontrol update, Key=Value */
            readonly update?: readonly string[];
        };
        readonly User: {
            /** @description None, Operator or Administrator */
            readonly admin_level?: string;
            /** @description accounts looked after */
            readonly coordinates?: readonly string[];
            /** @description account of jobs that name none */
            readonly default_account?: string;
            /** @description wckey of jobs that name none */
            readonly default_wckey?: string;
            /** @description name */
            readonly name?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly listAccounts: {
        readonly parameters: {
            readonly query?: {
                /** @description the page behind this one: "next" of the one before */
                readonly after?: string;
                /** @description only these fields, by comma */
                readonly fields?: string;
                /** @description how many at most (1 to 10000) */
                readonly limit?: number;
                /** @description fields to sort by, by comma; with - before it from the top */
                readonly sort?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly accounts: readonly components["schemas"]["Account"][];
                        readonly next: string | null;
                        readonly total: number | null;
                    };
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listAssociations: {
        readonly parameters: {
            readonly query?: {
                /** @description the page behind this one: "next" of the one before */
                readonly after?: string;
                /** @description only these fields, by comma */
                readonly fields?: string;
                /** @description how many at most (1 to 10000) */
                readonly limit?: number;
                /** @description fields to sort by, by comma; with - before it from the top */
                readonly sort?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly associations: readonly components["schemas"]["Association"][];
                        readonly next: string | null;
                        readonly total: number | null;
                    };
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly watch: {
        readonly parameters: {
            readonly query?: {
                /** @description go on behind this event */
                readonly cursor?: string;
                /** @description jobs, nodes, partitions, plan, by comma; default: jobs */
                readonly of?: string;
                /** @description only your jobs */
                readonly own?: string;
                /** @description no more often than so many milliseconds */
                readonly pace?: number;
                /** @description only jobs of these users, by comma */
                readonly user?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/*": string;
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listHistory: {
        readonly parameters: {
            readonly query?: {
                /** @description only of these accounts, by comma */
                readonly account?: string;
                /** @description the page behind this one: "next" of the one before */
                readonly after?: string;
                /** @description only these fields, by comma */
                readonly fields?: string;
                /** @description jobs that lived after this instant */
                readonly from?: string;
                /** @description how many at most (1 to 10000) */
                readonly limit?: number;
                /** @description only of these names, by comma */
                readonly name?: string;
                /** @description only in these partitions, by comma */
                readonly partition?: string;
                /** @description only of these QOS, by comma */
                readonly qos?: string;
                /** @description fields to sort by, by comma; with - before it from the top */
                readonly sort?: string;
                /** @description only in these states, by comma */
                readonly state?: string;
                /** @description with their steps */
                readonly steps?: string;
                /** @description jobs that lived before this instant */
                readonly until?: string;
                /** @description only of these users, by comma */
                readonly user?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly next: string | null;
                        readonly records: readonly components["schemas"]["Record"][];
                        readonly total: number | null;
                    };
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getHistory: {
        readonly parameters: {
            readonly query?: {
                /** @description the page behind this one: "next" of the one before */
                readonly after?: string;
                /** @description only these fields, by comma */
                readonly fields?: string;
                /** @description how many at most (1 to 10000) */
                readonly limit?: number;
                /** @description fields to sort by, by comma; with - before it from the top */
                readonly sort?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly next: string | null;
                        readonly records: readonly components["schemas"]["Record"][];
                        readonly total: number | null;
                    };
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly submitJobAsSlurm: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description a request that is repeated with the same key is done once */
                readonly "Idempotency-Key"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["JobSubmission"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Submitted"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listJobs: {
        readonly parameters: {
            readonly query?: {
                /** @description only of these accounts, by comma */
                readonly account?: string;
                /** @description the page behind this one: "next" of the one before */
                readonly after?: string;
                /** @description only these fields, by comma */
                readonly fields?: string;
                /** @description how many at most (1 to 10000) */
                readonly limit?: number;
                /** @description only in these partitions, by comma */
                readonly partition?: string;
                /** @description fields to sort by, by comma; with - before it from the top */
                readonly sort?: string;
                /** @description only in these states, by comma; ALL; default: those that live */
                readonly state?: string;
                /** @description only of these users, by comma */
                readonly user?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly jobs: readonly components["schemas"]["Job"][];
                        readonly next: string | null;
                        readonly total: number | null;
                    };
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly submitJob: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description a request that is repeated with the same key is done once */
                readonly "Idempotency-Key"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["JobSubmission"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Submitted"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getJob: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Job"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly cancelJob: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description a request that is repeated with the same key is done once */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Job"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly changeJob: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description a request that is repeated with the same key is done once */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["JobDescription"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Job"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly cancelJobNow: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description a request that is repeated with the same key is done once */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Job"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly watchJob: {
        readonly parameters: {
            readonly query?: {
                /** @description go on behind this event */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/*": string;
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly explainJob: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Explanation"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly holdJob: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description a request that is repeated with the same key is done once */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Job"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getOutput: {
        readonly parameters: {
            readonly query?: {
                /** @description so many bytes at most */
                readonly bytes?: number;
                /** @description go on until the job has ended */
                readonly follow?: string;
                /** @description only the last bytes */
                readonly last_bytes?: number;
                /** @description only the last lines */
                readonly last_lines?: number;
                /** @description output or error; default: output */
                readonly of?: string;
                /** @description from this byte on */
                readonly offset?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/*": string;
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly releaseJob: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description a request that is repeated with the same key is done once */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Job"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly requeueJob: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description a request that is repeated with the same key is done once */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Job"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly resumeJob: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description a request that is repeated with the same key is done once */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Job"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getScript: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/*": string;
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly signalJob: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description a request that is repeated with the same key is done once */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["Signal"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Job"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listStepsOfJob: {
        readonly parameters: {
            readonly query?: {
                /** @description the page behind this one: "next" of the one before */
                readonly after?: string;
                /** @description only these fields, by comma */
                readonly fields?: string;
                /** @description how many at most (1 to 10000) */
                readonly limit?: number;
                /** @description fields to sort by, by comma; with - before it from the top */
                readonly sort?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly next: string | null;
                        readonly steps: readonly components["schemas"]["Step"][];
                        readonly total: number | null;
                    };
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly suspendJob: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description a request that is repeated with the same key is done once */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Job"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listNodes: {
        readonly parameters: {
            readonly query?: {
                /** @description the page behind this one: "next" of the one before */
                readonly after?: string;
                /** @description only these fields, by comma */
                readonly fields?: string;
                /** @description how many at most (1 to 10000) */
                readonly limit?: number;
                /** @description fields to sort by, by comma; with - before it from the top */
                readonly sort?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly next: string | null;
                        readonly nodes: readonly components["schemas"]["Node"][];
                        readonly total: number | null;
                    };
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getNode: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Node"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly changeNode: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description a request that is repeated with the same key is done once */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NodeChange"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Node"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly drainNode: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description a request that is repeated with the same key is done once */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["Reason"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Node"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly resumeNode: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description a request that is repeated with the same key is done once */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Node"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listPartitions: {
        readonly parameters: {
            readonly query?: {
                /** @description the page behind this one: "next" of the one before */
                readonly after?: string;
                /** @description only these fields, by comma */
                readonly fields?: string;
                /** @description how many at most (1 to 10000) */
                readonly limit?: number;
                /** @description fields to sort by, by comma; with - before it from the top */
                readonly sort?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly next: string | null;
                        readonly partitions: readonly components["schemas"]["Partition"][];
                        readonly total: number | null;
                    };
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getPartition: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Partition"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly ping: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getPlan: {
        readonly parameters: {
            readonly query?: {
                /** @description the page behind this one: "next" of the one before */
                readonly after?: string;
                /** @description only these fields, by comma */
                readonly fields?: string;
                /** @description how many at most (1 to 10000) */
                readonly limit?: number;
                /** @description only in these partitions, by comma */
                readonly partition?: string;
                /** @description fields to sort by, by comma; with - before it from the top */
                readonly sort?: string;
                /** @description only of these users, by comma */
                readonly user?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly next: string | null;
                        readonly plan: readonly components["schemas"]["PlannedJob"][];
                        readonly total: number | null;
                    };
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listQos: {
        readonly parameters: {
            readonly query?: {
                /** @description the page behind this one: "next" of the one before */
                readonly after?: string;
                /** @description only these fields, by comma */
                readonly fields?: string;
                /** @description how many at most (1 to 10000) */
                readonly limit?: number;
                /** @description fields to sort by, by comma; with - before it from the top */
                readonly sort?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly next: string | null;
                        readonly qos: readonly components["schemas"]["Qos"][];
                        readonly total: number | null;
                    };
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listReservations: {
        readonly parameters: {
            readonly query?: {
                /** @description the page behind this one: "next" of the one before */
                readonly after?: string;
                /** @description only these fields, by comma */
                readonly fields?: string;
                /** @description how many at most (1 to 10000) */
                readonly limit?: number;
                /** @description fields to sort by, by comma; with - before it from the top */
                readonly sort?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly next: string | null;
                        readonly reservations: readonly components["schemas"]["Reservation"][];
                        readonly total: number | null;
                    };
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly createReservation: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description a request that is repeated with the same key is done once */
                readonly "Idempotency-Key"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ReservationDescription"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Reservation"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getReservation: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Reservation"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly deleteReservation: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description a request that is repeated with the same key is done once */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly changeReservation: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description a request that is repeated with the same key is done once */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ReservationDescription"];
            };
        };
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Reservation"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getStatistics: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Statistics"];
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listSteps: {
        readonly parameters: {
            readonly query?: {
                /** @description the page behind this one: "next" of the one before */
                readonly after?: string;
                /** @description only these fields, by comma */
                readonly fields?: string;
                /** @description how many at most (1 to 10000) */
                readonly limit?: number;
                /** @description fields to sort by, by comma; with - before it from the top */
                readonly sort?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly next: string | null;
                        readonly steps: readonly components["schemas"]["Step"][];
                        readonly total: number | null;
                    };
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getUsage: {
        readonly parameters: {
            readonly query?: {
                /** @description the page behind this one: "next" of the one before */
                readonly after?: string;
                /** @description only these fields, by comma */
                readonly fields?: string;
                /** @description from this instant */
                readonly from?: string;
                /** @description how many at most (1 to 10000) */
                readonly limit?: number;
                /** @description fields to sort by, by comma; with - before it from the top */
                readonly sort?: string;
                /** @description these resources, by comma; default: cpu */
                readonly tres?: string;
                /** @description until this instant */
                readonly until?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly report: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly next: string | null;
                        readonly rows: readonly components["schemas"]["Row"][];
                        readonly total: number | null;
                    };
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listUsers: {
        readonly parameters: {
            readonly query?: {
                /** @description the page behind this one: "next" of the one before */
                readonly after?: string;
                /** @description only these fields, by comma */
                readonly fields?: string;
                /** @description how many at most (1 to 10000) */
                readonly limit?: number;
                /** @description fields to sort by, by comma; with - before it from the top */
                readonly sort?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly next: string | null;
                        readonly total: number | null;
                        readonly users: readonly components["schemas"]["User"][];
                    };
                };
            };
            /** @description not done */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
