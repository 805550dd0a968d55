import { dirname, join } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { shellWord } from '../contract/flag-text';
import { backendsOf, engineWords, isProcess } from '../contract/run/engine-kinds';
import { repositoryOf, type RunSpec } from '../contract/run/run-spec';
import type { PlannedCommand, SpecPreview } from '../contract/run/spec-tools';
import { stepTitle } from '../contract/words';
import { shimFiles } from '../formats/format';
import { formatOf, servingFramework } from '../formats/formats';
import type { HomeLayout } from '../platform/layout';

export type ScriptPrograms = Pick<HomeLayout, 'python' | 'tensorflow' | 'libraryPathFile'>;

interface ScriptInput {
  readonly spec: RunSpec;
  readonly preview: Pick<SpecPreview, 'commands' | 'configPbtxt'>;
  readonly layout: ScriptPrograms;
  readonly resources: string;
}

const variables: Readonly<Record<string, string>> = {
  '<run>': '$RUN',
  '<http-port>': '$HTTP_PORT',
  '<grpc-port>': '$GRPC_PORT',
};
const unknown = /<(?:run|http-port|grpc-port)>/g;

/** One shell word, with variables for values that only a run has. */
function word(text: string): string {
  if (text.search(unknown) === -1) return shellWord(text);
  const quoted = text.replaceAll(/[\\"$`]/g, String.raw`\$&`);
  return `"${quoted.replaceAll(unknown, (name) => variables[name] ?? name)}"`;
}

const line = (argv: readonly string[]): string => argv.map(word).join(' ');

const repository = '<run>/steps/configure/model-repository';

/** The step Configure has no command: writes the model repository. Empty where no file is converted. */
function configureLines({ spec, preview, resources }: ScriptInput): readonly string[] {
  const { modelName, modelVersion, backendAccelerator } = spec.configure;
  const made = preview.commands.findLast(({ step, argv }) => step === 'convert' && argv.includes('--output'));
  const file = made?.argv[made.argv.indexOf('--output') + 1];
  if (file === undefined || preview.configPbtxt === null) return [];
  const format = formatOf(spec.format);
  const serving = format.servedBy({
    backends: backendsOf(spec.engine),
    precision: spec.precision,
    accelerator: backendAccelerator,
  });
  const folder = join(repository, modelName);
  const version = join(folder, String(modelVersion));
  return [
    `# ${stepTitle.configure}`,
    line(['mkdir', '-p', version]),
    line(['cp', '-R', file, join(version, format.fileName)]),
    ...(serving.ok && serving.serving === 'shim'
      ? [line(['cp', ...shimFiles(resources, serving.shimFolder), version])]
      : []),
    `cat > ${word(join(folder, 'config.pbtxt'))} <<'CONFIG_PBTXT'`,
    preview.configPbtxt.trimEnd(),
    'CONFIG_PBTXT',
  ];
}

/** Triton in the background, until the shell ends. */
function serverLines(argv: readonly string[], { spec, layout }: ScriptInput): readonly string[] {
  const { modelName } = spec.configure;
  const httpPort = isProcess(spec.engine) ? spec.engine.httpPort : undefined;
  const python = servingFramework(spec) === 'tf' ? layout.tensorflow : layout.python;
  const own = argv
    // Its shared memory is named after a run.
    .filter((text) => !text.includes('shm-region-prefix-name'))
    .map((text) => text.replace(/^--(http|grpc)-port=0$/, '--$1-port=<$1-port>'));
  const environment = [
    `PATH=${shellWord(dirname(python))}:"$PATH"`,
    `LD_LIBRARY_PATH="$(paste -sd: ${shellWord(layout.libraryPathFile)})"`,
    `PYTHONPATH="$(echo ${shellWord(join(dirname(dirname(python)), 'lib'))}/python3.*/site-packages)"`,
  ];
  const ready = `http://127.0.0.1:${httpPort ?? '<http-port>'}/v2/models/${modelName}/ready`;
  const ask = 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1])';
  return [
    `${environment.join(' ')} ${line([...own, `--load-model=${modelName}`])} &`,
    `server=$!; trap 'kill "$server"; wait "$server" || true' EXIT`,
    `until ${line([python, '-c', ask, ready])} 2> /dev/null; do kill -0 "$server"; sleep 1; done`,
  ];
}

/** Output folder: perf's run is in the home, not in the results. */
const figuresOption = (step: PlannedCommand['step']): readonly string[] =>
  step === 'offline' || step === 'online' ? ['--csv', `<run>/results/${step}.csv`] : [];

function stepLines(step: PlannedCommand['step'], input: ScriptInput): readonly string[] {
  const isLocal = isProcess(input.spec.engine);
  const commands = input.preview.commands.filter((command) => command.step === step);
  if (step === 'configure') return isLocal ? configureLines(input) : [];
  if (commands.length === 0) return [];
  return [
    `# ${stepTitle[step]}`,
    ...commands.flatMap(({ argv }) =>
      isLocal && step === 'deploy'
        ? serverLines(argv, input)
        : [line([...argv, ...(isLocal ? figuresOption(step) : [])])],
    ),
  ];
}

function head({ spec, preview, resources }: ScriptInput): readonly string[] {
  const place = engineWords(spec.engine.kind).commandsAre;
  if (place !== null) {
    return [
      `# The workbench runs these commands ${place}; they do not run here as they are.`,
      '# Set RUN to the folder of a run. The form "shell" of "spec" prints a script that does the whole run.',
    ];
  }
  const folders = [...new Set(preview.commands.map(({ step }) => step))];
  return [
    '# Runs the steps by hand. RUN is the folder of the results, by default a new one; "triton-workbench" is taken from PATH.',
    '# HTTP_PORT and GRPC_PORT are those of Triton. Set them before, for others than these; RUN without a space, for Triton.',
    'set -eu',
    `export RUN="\${RUN:-$(mktemp -d)}" HTTP_PORT="\${HTTP_PORT:-8000}" GRPC_PORT="\${GRPC_PORT:-8001}" PYTHONPATH=${shellWord(resources)}`,
    `for step in ${folders.join(' ')}; do mkdir -p "$RUN/steps/$step"; done; mkdir -p "$RUN/results"; cd "$RUN"`,
  ];
}

/** Throws combination-unsupported for a repository that is served as it is. */
export function commandScript(input: ScriptInput): string {
  if (repositoryOf(input.spec.model) !== null) {
    throw new WorkbenchError(
      'combination-unsupported',
      'A repository that is served as it is has no script',
      {
        remedy:
          'Start Triton on the repository (tritonserver --model-repository), and measure it with: perf -m MODEL.',
      },
    );
  }
  const steps = [...new Set(input.preview.commands.map(({ step }) => step))];
  const at = steps.indexOf('deploy');
  if (at !== -1 && !steps.includes('configure')) steps.splice(at, 0, 'configure');
  return `${[...head(input), ...steps.flatMap((step) => stepLines(step, input))].join('\n')}\n`;
}
