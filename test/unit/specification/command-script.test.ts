import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import type { Tree } from '../../../main/contract/trees';
import { createSpecTools } from '../../../main/specification/spec-tools';
import { choice, places, resnet50 } from './places';

const tools = createSpecTools({ presets: () => new Map([['resnet50', resnet50]]), places });
const scriptOf = async (overrides: Tree = {}) =>
  (await tools['spec.export']({ ...choice({ ...overrides }), as: 'commands' })).text;

it('is a script of the shell that makes its folder, names the toolkit and leaves no placeholder', async () => {
  const text = await scriptOf();
  execFileSync('sh', ['-n'], { input: text });
  expect(text).not.toMatch(/<(run|http-port|grpc-port)>/);
  expect(text).toContain(`PYTHONPATH=${places.resources}\n`);
  expect(text).toContain('--output "$RUN/steps/prepare-data/dataset"');
  expect(text).toMatch(/^triton-workbench perf .* --csv "\$RUN\/results\/online\.csv"/m);
  const titles = text.split('\n').filter((line) => line.startsWith('# ') && !line.includes('.'));
  expect(titles).toEqual([
    '# Prepare data',
    '# Export model',
    '# Convert model',
    '# Configure',
    '# Deploy on Triton',
    '# Check accuracy',
    '# Prepare profiling data',
    '# Measure offline',
    '# Measure online',
  ]);
});

it('puts the model into the repository that Triton is started on', async () => {
  const text = await scriptOf({ engine: { kind: 'local', httpPort: 8123 } });
  const folder = '$RUN/steps/configure/model-repository/resnet50';
  expect(text).toContain(`cp -R "$RUN/steps/convert/model.onnx" "${folder}/1/model.onnx"`);
  expect(text).toContain(`cat > "${folder}/config.pbtxt" <<'CONFIG_PBTXT'\nname: "resnet50"`);
  expect(text).toMatch(/--http-port=8123 .*"--grpc-port=\$GRPC_PORT" .*--load-model=resnet50 &\n/);
});

it('says of containers that the commands do not run here', async () => {
  const text = await scriptOf({ engine: { kind: 'docker' } });
  expect(text.split('\n')[0]).toBe(
    '# The workbench runs these commands in the containers of the run; they do not run here as they are.',
  );
});
