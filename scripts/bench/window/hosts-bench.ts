import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { readDockerAddress } from '../../../main/docker/address';
import { connectDocker } from '../../../main/docker/client';
import { createHosts } from '../../../main/hosts/hosts';
import { homeLayout } from '../../../main/platform/layout';
import { startSshMachines } from '../../../test/support/ssh-machines';
import { option } from '../option';
import { median } from '../pairs';
import { ordinaryRuns, prepareHome } from './bench-homes';
import { coldStart, formatMs, machineRows } from './cold-start';
import { openElectron } from './window-under-test';

const executable = option('program', '');
const cliFile = option('cli', '');
const outFile = option('out', '');
const repeats = Number(option('repeats', '10'));
const [runCount, hostCount] = [200, 20];
/** Milliseconds; that of a start without hosts. */
const startLimit = 1200;

const run = promisify(execFile);
const engine = await connectDocker(await readDockerAddress(process.env), process.env);
const machines = await startSshMachines(
  engine,
  Array.from({ length: hostCount }, (_unused, at) => `gpu${at + 1}`),
);
process.env['TRITON_WORKBENCH_SSH_CONFIG'] = machines.sshConfig;
const [without, withHosts] = await Promise.all(
  [1, 2].map(() => prepareHome(option('home', ''), ordinaryRuns(runCount))),
);

/** @returns milliseconds that a command takes */
async function command(home: string, ...args: readonly string[]): Promise<number> {
  const startedMs = performance.now();
  await run(process.execPath, [cliFile, ...args], {
    env: { ...process.env, TRITON_WORKBENCH_HOME: home },
    maxBuffer: 64 * 1024 ** 2,
  });
  return performance.now() - startedMs;
}

/** From the click on the page to its last row, and to the answer of the last host. */
async function page(home: string): Promise<{ readonly listed: number; readonly asked: number }> {
  const window = await openElectron({ executable, args: [], home });
  try {
    await window.page.locator('[data-run] .run-name').first().click({ trial: true });
    const startedMs = performance.now();
    await window.page.keyboard.press('Control+7');
    await window.page
      .getByRole('row')
      .filter({ hasText: `gpu${hostCount}` })
      .waitFor();
    const listed = performance.now() - startedMs;
    await window.page.getByText(`${hostCount} hosts, ${hostCount} reachable`).waitFor({ timeout: 120_000 });
    const asked = performance.now() - startedMs;
    // A window opens where it was left.
    await window.page.keyboard.press('Control+1');
    await window.page.locator('[data-run] .run-name').first().waitFor();
    return { listed, asked };
  } finally {
    await window.close();
  }
}

type Row = readonly [what: string, ...sides: (readonly number[] | null)[]];

async function measure(plain: string, hosted: string): Promise<readonly Row[]> {
  const hosts = createHosts({ layout: homeLayout(hosted), env: process.env, now: () => new Date() });
  for (const name of machines.names) await hosts.add({ name, address: `ssh://${name}` });
  // The first start on a home makes the rows of its list.
  for (const home of [plain, hosted]) await coldStart(executable, home);
  const starts: [number[], number[]] = [[], []];
  const runs: [number[], number[]] = [[], []];
  const [listed, asked, list, unasked]: number[][] = [[], [], [], []];
  for (let at = 0; at < repeats; at += 1) {
    for (const [side, home] of [plain, hosted].entries()) {
      starts[side]?.push(await coldStart(executable, home));
      runs[side]?.push(await command(home, 'runs'));
    }
    const shown = await page(hosted);
    listed?.push(shown.listed);
    asked?.push(shown.asked);
    list?.push(await command(hosted, 'hosts', 'list'));
    unasked?.push(await command(hosted, 'hosts', 'list', '--no-check'));
  }
  return [
    ['Cold start of the window to a list of runs that can be clicked', ...starts],
    ['`triton-workbench runs`', ...runs],
    ['Page Hosts: all rows', null, listed ?? []],
    ['Page Hosts: all hosts have answered', null, asked ?? []],
    ['`triton-workbench hosts list`: all hosts have answered', null, list ?? []],
    ['`triton-workbench hosts list --no-check`', null, unasked ?? []],
  ];
}

try {
  const rows = await measure(without ?? '', withHosts ?? '');
  const side = (values: readonly number[] | null) => (values === null ? '' : formatMs(values, 'times'));
  const document = [
    '# Twenty hosts',
    '',
    `Written by \`npm run bench -- hosts\`. The packaged program and the command line on homes with ${runCount} finished runs, one of`,
    `them with ${hostCount} hosts: containers with an sshd each, which lead to one Docker Engine, on the machine that measures.`,
    'In turn; median, and the smallest and largest.',
    '',
    ...machineRows(),
    '',
    `| | without hosts | ${hostCount} hosts |`,
    '|---|---|---|',
    ...rows.map(([what, plain = null, hosted = null]) => `| ${what} | ${side(plain)} | ${side(hosted)} |`),
    '',
    `The window may take ${startLimit.toLocaleString('en-US')} ms to start.`,
    '',
  ].join('\n');
  process.stdout.write(document);
  if (outFile !== '') await writeFile(outFile, document);
  process.exitCode = median([...(rows[0]?.[2] ?? [])]) > startLimit ? 1 : 0;
} finally {
  await machines.stop();
  for (const home of [without, withHosts])
    if (home !== undefined) await rm(home, { recursive: true, force: true });
}
