import type { Format, RunSpec } from '../../../../main/contract/run/run-spec';
import { backendsOf } from '../../../../main/contract/run/serving';

/** Name in the version folder of the model repository. */
const modelFile: Readonly<Record<Format, string>> = {
  onnx: 'model.onnx',
  'ts-trace': 'model.pt',
  'ts-script': 'model.pt',
  'tf-savedmodel': 'model.savedmodel/',
  trt: 'model.plan',
};

/** What the run's folder will hold, by path below it. */
export function runFiles(spec: RunSpec): readonly { readonly path: string; readonly what: string }[] {
  const { modelName, modelVersion } = spec.configure;
  const repository = `steps/configure/model-repository/${modelName}`;
  const version = `${repository}/${modelVersion}`;
  return [
    { path: 'run.yaml', what: 'the specification' },
    { path: 'journal.jsonl', what: 'every event, line by line' },
    { path: `${repository}/config.pbtxt`, what: 'how Triton serves the model' },
    { path: `${version}/${modelFile[spec.format]}`, what: 'the model' },
    ...(spec.format === 'trt'
      ? [{ path: `${version}/${modelFile.trt}.json`, what: 'versions that the plan was built with' }]
      : []),
    ...(backendsOf(spec.engine) === 'python'
      ? [{ path: `${version}/model.py`, what: 'serves it in the Python backend' }]
      : []),
    { path: 'steps/<step>/step.log', what: 'log of each step' },
    { path: 'results/', what: 'report as HTML, PDF, CSV and JSON' },
  ];
}
