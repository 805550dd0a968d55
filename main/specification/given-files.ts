import { stat } from 'node:fs/promises';
import { isElsewhere } from '../contract/run/engine-kinds';
import type { Framework, RunSpec } from '../contract/run/run-spec';
import type { SpecProblem } from '../contract/run/spec-tools';

interface GivenFile {
  readonly field: string;
  readonly what: string;
  readonly path: string | undefined;
  /** Absent: a folder can be meant. */
  readonly onlyFile?: string;
}

function givenFiles(
  { model, accuracy, performance, engine }: RunSpec,
  framework: Framework,
): readonly GivenFile[] {
  const tls = isElsewhere(engine) ? engine.tls : undefined;
  const { inputData, inputDataFile } = performance;
  const weights: GivenFile = { field: 'model.checkpoint', what: 'The weights file', path: model.checkpoint };
  return [
    // A checkpoint of TensorFlow is a folder.
    framework === 'tf' ? weights : { ...weights, onlyFile: 'Choose the file of weights in it.' },
    { field: 'model.dataset', what: 'The data set', path: model.dataset },
    {
      field: 'accuracy.golden',
      what: 'The golden file',
      path: accuracy.golden,
      onlyFile: 'Choose a golden file: "triton-workbench golden record" writes them.',
    },
    {
      field: 'performance.inputDataFile',
      what: 'The input data',
      path: inputData === 'file' ? inputDataFile : undefined,
    },
    { field: 'engine.tls.caFile', what: 'The certificate file', path: tls?.caFile },
    { field: 'engine.tls.certFile', what: 'The certificate file', path: tls?.certFile },
    { field: 'engine.tls.keyFile', what: 'The key file', path: tls?.keyFile },
  ];
}

/** Files and folders that a specification names and that are absent, or folders where a file is meant. Nothing is read. */
export async function givenFileProblems(spec: RunSpec, framework: Framework): Promise<SpecProblem[]> {
  const found: SpecProblem[] = [];
  for (const { field, what, path, onlyFile } of givenFiles(spec, framework)) {
    if (path === undefined) continue;
    const entry = await stat(path).catch(() => null);
    if (entry === null) {
      const message = `${what} ${path} does not exist`;
      found.push({ field, severity: 'problem', message, remedy: 'Check the path.' });
    } else if (onlyFile !== undefined && entry.isDirectory()) {
      found.push({ field, severity: 'problem', message: `${path} is a folder`, remedy: onlyFile });
    }
  }
  return found;
}
