import { mebibytesOf, minutesOf } from './timeLimit';

export interface JobForm {
  name: string;
  partition: string;
  time: string;
  nodes: number;
  tasks: number;
  cpus: number;
  gpus: number;
  memory: string;
  array: string;
  commands: string;
}

export const emptyForm: JobForm = {
  name: 'job',
  partition: '',
  time: '',
  nodes: 1,
  tasks: 1,
  cpus: 1,
  gpus: 0,
  memory: '',
  array: '',
  commands: 'hostname\n',
};

/** The script that sbatch would take for the same job. */
export function batchScript(form: JobForm): string {
  const directives = [
    `--job-name=${form.name}`,
    form.partition && `--partition=${form.partition}`,
    form.time && `--time=${form.time}`,
    `--nodes=${form.nodes}`,
    `--ntasks=${form.tasks}`,
    form.cpus > 1 && `--cpus-per-task=${form.cpus}`,
    form.gpus > 0 && `--gpus-per-node=${form.gpus}`,
    form.memory && `--mem=${form.memory}`,
    form.array && `--array=${form.array}`,
  ].filter(Boolean);
  return `#!/bin/bash\n${directives.map((each) => `#SBATCH ${each}\n`).join('')}\n${form.commands.trimEnd()}\n`;
}

/** The same as the API takes it. */
export function description(form: JobForm): { job: Record<string, unknown> } {
  const minutes = minutesOf(form.time);
  const memory = mebibytesOf(form.memory);
  return {
    job: {
      name: form.name,
      ...(form.partition ? { partition: form.partition } : {}),
      ...(minutes === undefined ? {} : { time_limit: minutes }),
      nodes: form.nodes,
      tasks: form.tasks,
      ...(form.cpus > 1 ? { cpus_per_task: form.cpus } : {}),
      ...(form.gpus > 0 ? { tres_per_node: `gres/gpu:${form.gpus}` } : {}),
      ...(memory === undefined ? {} : { memory_per_node: memory }),
      ...(form.array ? { array: form.array } : {}),
      script: `#!/bin/bash\n${form.commands.trimEnd()}\n`,
    },
  };
}
