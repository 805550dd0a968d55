import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CoreParts } from '../../main/core/core-parts';
import { createOwnModels } from '../../main/own/open-model';
import { createPresetOf } from '../../main/own/own-preset';
import { homeLayout } from '../../main/platform/layout';
import { directReaders } from './direct-readers';
import { onnxBytes } from './onnx-bytes';

const resources = join(process.cwd(), 'resources');

const rows = ['input_ids', 'attention_mask', 'token_type_ids'];
const result = (value: object) => `echo '${JSON.stringify({ type: 'result', ...value })}'`;

/** An interpreter that notes what it is asked, and does what the toolkit would leave. */
async function fakePython(dir: string): Promise<string> {
  const file = onnxBytes({
    inputs: rows.map((name) => ({ name, type: 7, shape: ['batch', 'tokens'] })),
    outputs: [{ name: 'logits', shape: ['batch', 3] }],
  });
  await writeFile(join(dir, 'exported.onnx'), file);
  const signature = {
    inputs: rows.map((name) => ({ name, datatype: 'INT64', shape: [-1, -1] })),
    outputs: [{ name: 'logits', datatype: 'FP32', shape: [-1, 3] }],
  };
  const reference = {
    ...{ texts: 23, samples: 27, ties: 2, cut: 1, tokenizers: '0.1.0' },
    ...{ shortened: 12, transformers: '5.0.0' },
  };
  const ofMedia = {
    ...{ items: 18, samples: 24, ties: 0, shapes: 1, library: 'Pillow 13.0.0' },
    ...{ empty: 1, languages: 3, transformers: '5.0.0' },
  };
  const python = join(dir, 'python');
  await writeFile(
    python,
    `#!/bin/sh
echo "$*" >> ${dir}/asked.txt
for word in "$@"; do [ "$last" = --output ] && out=$word; last=$word; done
case "$3" in
  make-dataset) mkdir -p "$out"; ${result({})} ;;
  export) cp ${dir}/exported.onnx "$out"; ${result({ path: 'model.onnx', bytes: 1, ...signature })} ;;
  write-pipeline) echo '{}' > "$out/golden.json"; echo '{}' > "$out/load.json"; ${result(reference)} ;;
  write-media-pipeline) echo '{}' > "$out/golden.json"; echo '{}' > "$out/load.json"; ${result(ofMedia)} ;;
esac
`,
  );
  await chmod(python, 0o755);
  return python;
}

/** Of a core whose Python with transformers is {@link fakePython}. */
export async function pipelineParts(dir: string): Promise<CoreParts> {
  const python = await fakePython(dir);
  const layout = homeLayout(join(dir, 'home'));
  const toolkit = { call: () => Promise.reject(new Error('not asked')) };
  const readers = directReaders;
  return {
    layout,
    options: { resources, version: 'test', env: process.env },
    reading: { readers },
    own: createOwnModels({ trustFile: join(dir, 'trusted.json'), toolkit, readers, now: () => new Date(0) }),
    presetOf: createPresetOf(() => new Map(), resources, readers),
    transformersPython: () => Promise.resolve(python),
  } as unknown as CoreParts;
}
