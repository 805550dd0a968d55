import { resolve } from 'node:path';
import { appEnvironment, bootstrap, needs } from './lib/bootstrap.mjs';
import { command } from './lib/command.mjs';
import { runSuite } from './lib/gpu-run.mjs';
import { gpuProblem } from './lib/gpu-suite.mjs';
import { main } from './lib/main.mjs';
import { say, SetupError } from './lib/say.mjs';

const help = `npm run test:gpu -- [--preset ID,ID] [--gpu INDEX|UUID] [--out FILE.zip] [--on-cpu]
Runs every preset on an NVIDIA GPU of this machine: at its published size and defaults for that GPU, and as a TensorRT
plan where it has one, with the least and the most of each sweep. In MIG mode all on the first slice, one on each other.
Images are pulled and built (tens of GB). Prints a table and writes logs, journals and the facts of the machine into
one zip file (./gpu-test-DATE.zip) that can be attached to a report. Exit code 1: a run failed, or there is no GPU.
--on-cpu tries the command itself without a GPU, with the quick profiles. It says nothing about GPUs.`;

function readOptions(args) {
  const options = { wanted: [], gpu: null, out: null, onCpu: false };
  const readers = {
    '--preset': (text) => (options.wanted = text.split(',')),
    '--gpu': (text) => (options.gpu = text),
    '--out': (text) => (options.out = text),
  };
  for (let at = 0; at < args.length; at += 1) {
    const name = args[at];
    const read = readers[name];
    if (name === '--on-cpu') options.onCpu = true;
    else if (read !== undefined && args[at + 1] !== undefined) read(args[(at += 1)]);
    else
      throw new SetupError(
        `"${name}" is not an option of npm run test:gpu or lacks its value: --help lists them.`,
      );
  }
  return options;
}

/** The GPUs' report. Throws a SetupError without one, before anything is installed. */
async function readGpus() {
  const answer = await command('nvidia-smi', ['-q', '-x'], { collect: true });
  const problem = gpuProblem(answer);
  if (problem !== null) throw new SetupError(problem);
  return answer.output;
}

await main(async (args) => {
  if (args.includes('--help') || args.includes('-h')) {
    say(help);
    return 0;
  }
  const { wanted, gpu, out, onCpu } = readOptions(args);
  const smi = onCpu ? null : await readGpus();
  const { home, layout } = await bootstrap(
    onCpu ? needs.run : [...new Set([...needs.images, ...needs.report])],
    { packages: ['window', 'display'], purpose: 'Printing the report as PDF' },
  );
  const state = { env: appEnvironment(home), child: null, interrupted: false };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      state.interrupted = true;
      state.child?.kill('SIGTERM');
    });
  const file = resolve(out ?? `gpu-test-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.zip`);
  const { rows, tables } = await runSuite(state, { smi, python: layout.python, file, gpu, wanted });
  process.stdout.write(`\n${tables}`);
  say(
    `\nFor a report: ${file}. It contains paths, GPUs and process names of this machine: read it before you send it.`,
  );
  if (state.interrupted) return 130;
  const failed = rows.filter(({ ok }) => !ok).length;
  say(failed === 0 ? `Runs that are done: ${rows.length}` : `${failed} of ${rows.length} runs failed`);
  return failed === 0 ? 0 : 1;
});
