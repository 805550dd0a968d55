import type { ModelSource } from '../contract/run/run-spec';
import type { ToolkitCommand } from './toolkit';

interface MediaPipeline {
  readonly source: ModelSource;
  readonly task: string;
  readonly name: string;
  /** Names of the models around the exported one; absent: one model does all of it. */
  readonly steps?: { readonly first: string; readonly last: string };
  /** Images or recordings of a batch. */
  readonly mostSamples: number;
  /** Folder of images or recordings; absent: those of the workbench. */
  readonly samples?: string | undefined;
  /** Folder whose `models` has the steps. */
  readonly place: string;
}

/** Completes the models of a pipeline of images or audio, with the answers of transformers. Pure. */
export function mediaCommand(pipeline: MediaPipeline): ToolkitCommand {
  const { source, task, name, steps, mostSamples, samples, place } = pipeline;
  return {
    verb: 'write-media-pipeline',
    args: [
      ['--folder', source.path],
      ['--auto-class', source.huggingFace?.autoClass ?? ''],
      ['--task', task],
      ['--name', name],
      ...(steps === undefined
        ? []
        : ([
            ['--first', steps.first],
            ['--last', steps.last],
          ] as const)),
      ['--most-samples', mostSamples],
      ...(samples === undefined ? [] : ([['--samples', samples]] as const)),
      ['--output', place],
    ],
  };
}
