import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeploymentInfo } from '../../main/contract/deployment/deployment';
import { DeploymentStore } from '../../main/deployments/deployment-store';
import { homeLayout } from '../../main/platform/layout';
import { cli, startCli } from './cli';
import { leftProcesses } from './left-processes';

export const killedVerbs = ['deploy', 'update', 'rollback', 'restart', 'remove'] as const;
export type KilledVerb = (typeof killedVerbs)[number];

/** When a command is killed: once its journal has so many more lines than before, and so long after that. */
export interface KillPoint {
  readonly lines: number;
  readonly delayMs: number;
}

export interface KillOutcome {
  readonly killed: boolean;
  /** From the end of the first look until what serves is what the journal says. */
  readonly settledMs: number;
  readonly problems: readonly string[];
}

/** Beyond what an undisturbed restart takes. */
const allowanceMs = 2000;
/** What has not settled by then does not. */
const patienceMs = 120_000;
const pollMs = 50;

/**
 * Over a connection of its own: a Triton that ends takes no new one, and answers on those that it has. null: it does not
 * answer, or not well.
 */
const answerOf = (method: string, url: string): Promise<string | null> =>
  new Promise((resolve) => {
    const asked = request(url, { method, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('error', () => resolve(null));
      response.once('end', () => resolve(response.statusCode === 200 ? text : null));
    });
    asked.once('error', () => resolve(null));
    asked.end();
  });

/** Deployments of one home: "web", whose version is changed, and "other", which is made and removed. */
export class KilledDeployments {
  private readonly store: DeploymentStore;
  /** Of an undisturbed restart; nothing is late before {@link measure}. */
  restartMs = Number.POSITIVE_INFINITY;
  /** Lines that each command writes when nobody kills it, and how long it takes. */
  readonly undisturbed = new Map<KilledVerb, { readonly lines: number; readonly ms: number }>();

  constructor(
    private readonly home: string,
    private readonly runId: string,
    private readonly model: string,
    /** Tritons of a deployment, whether it knows of them or not. */
    private readonly tritonsOf: (id: string) => Promise<number>,
  ) {
    this.store = new DeploymentStore(homeLayout(home).deployments);
  }

  async deployWeb(): Promise<void> {
    await this.command('deploy', this.runId, '--name', 'web');
  }

  /** Each command once with nobody killing it. */
  async measure(): Promise<void> {
    for (const verb of killedVerbs) {
      const before = await this.lines(verb);
      const start = performance.now();
      const run = { lines: before, isDone: false };
      const done = this.command(...this.words(verb)).finally(() => (run.isDone = true));
      while (!run.isDone) {
        run.lines = Math.max(run.lines, await this.lines(verb));
        await sleep(1);
      }
      await done;
      const ms = performance.now() - start;
      this.undisturbed.set(verb, { lines: run.lines - before, ms });
      if (verb === 'restart') this.restartMs = ms;
    }
  }

  /** A command that is killed at this point, and what is found after it. */
  async kill(verb: KilledVerb, { lines, delayMs }: KillPoint): Promise<KillOutcome> {
    await this.ready(verb);
    const before = await this.lines(verb);
    const run = startCli(this.home, [...this.words(verb), '--json']);
    const hasEnded = () => run.child.exitCode !== null;
    while (!hasEnded() && (await this.lines(verb)) < before + lines) await sleep(1);
    await sleep(delayMs);
    const killed = !hasEnded() && run.child.kill('SIGKILL');
    await run.result;
    const id = this.idOf(verb);
    const problems = [...(await this.readProblems(id))];
    const start = performance.now();
    let wrong = await this.unsettled(id);
    while (wrong !== null && performance.now() - start < patienceMs) {
      await sleep(pollMs);
      wrong = await this.unsettled(id);
    }
    const settledMs = performance.now() - start;
    if (wrong !== null) problems.push(wrong);
    if (settledMs > this.restartMs + allowanceMs) {
      problems.push(
        `settled after ${Math.round(settledMs)} ms, a restart takes ${Math.round(this.restartMs)}`,
      );
    }
    const at = `${verb} ${lines} lines + ${Math.round(delayMs)} ms: `;
    return { killed, settledMs, problems: killed ? problems.map((problem) => at + problem) : [] };
  }

  /** What is left after all are removed: processes, folders. */
  async removeAll(): Promise<readonly string[]> {
    for (const id of ['web', 'other']) {
      if ((await this.store.ids()).includes(id)) await this.command('deployments', 'remove', id, '--force');
    }
    const folders = [...(await this.store.ids()), ...(await this.store.leftovers())];
    return [...folders, ...(await leftProcesses(join(this.home, 'deployments')))];
  }

  private idOf(verb: KilledVerb): string {
    return verb === 'deploy' || verb === 'remove' ? 'other' : 'web';
  }

  private words(verb: KilledVerb): readonly string[] {
    switch (verb) {
      case 'deploy':
        return ['deploy', this.runId, '--name', 'other'];
      case 'update':
        return ['deploy', this.runId, '--to', 'web'];
      case 'rollback':
      case 'restart':
        return ['deployments', verb, 'web'];
      case 'remove':
        return ['deployments', 'remove', 'other', '--force'];
    }
  }

  /** There is what the command needs. */
  private async ready(verb: KilledVerb): Promise<void> {
    const hasOther = (await this.store.ids()).includes('other');
    if (verb === 'deploy' && hasOther) await this.command(...this.words('remove'));
    if (verb === 'remove' && !hasOther) await this.command(...this.words('deploy'));
    const { deployment } = await this.store.load('web');
    if (verb === 'rollback' && (deployment.models[this.model]?.previous ?? null) === null) {
      await this.command(...this.words('update'));
    }
  }

  private async command(...words: readonly string[]): Promise<void> {
    const { code, stdout, stderr } = await cli(this.home, ...words, '--json');
    if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code ?? '?'}: ${stdout}${stderr}`);
  }

  /** Of the journal of the command's deployment; 0: it is not there. */
  private async lines(verb: KilledVerb): Promise<number> {
    const path = join(homeLayout(this.home).deployments, this.idOf(verb), 'journal.jsonl');
    return (await readFile(path, 'utf8').catch(() => '')).split('\n').length - 1;
  }

  /** Versions that Triton serves of the model; empty: it does not answer. One that ends still lists what it has loaded. */
  private async served(httpUrl: string): Promise<readonly number[]> {
    const text = (await answerOf('POST', `${httpUrl}/v2/repository/index`)) ?? '[]';
    const versions = (JSON.parse(text) as readonly { readonly [field: string]: string }[])
      .filter(({ name, state }) => name === this.model && state === 'READY')
      .map(({ version }) => Number(version));
    const ready = await Promise.all(
      versions.map((version) =>
        answerOf('GET', `${httpUrl}/v2/models/${this.model}/versions/${version}/ready`),
      ),
    );
    return versions.filter((_version, at) => ready[at] !== null);
  }

  private async address(id: string): Promise<string | null> {
    const stored = await this.store.load(id).catch(() => null);
    return stored === null ? null : `http://127.0.0.1:${stored.deployment.ports.http}`;
  }

  /** What the next look says that is not so: it lists what is served. */
  private async readProblems(id: string): Promise<readonly string[]> {
    const address = await this.address(id);
    const before = address === null ? [] : await this.served(address);
    const { stdout, code } = await cli(this.home, 'deployments', 'list', '--json');
    if (code !== 0) return [`the look ended with ${code ?? '?'}: ${stdout}`];
    const info = (JSON.parse(stdout) as readonly DeploymentInfo[]).find((one) => one.id === id);
    const after = address === null ? [] : await this.served(address);
    const shown = info?.models[0];
    if (info === undefined || shown === undefined) return [];
    const { version } = shown;
    const said = `the look says ${info.state}, version ${version}: ${info.reason ?? ''} ${shown.reason ?? ''}`;
    // What is handed over just now may be the one or the other.
    if (shown.state === 'ready') return [...before, ...after].includes(version) ? [] : [said];
    return before.some((one) => after.includes(one)) ? [`${said}, and ${before.join(', ')} is served`] : [];
  }

  /** What is not as the journal says; null: all is. */
  private async unsettled(id: string): Promise<string | null> {
    if ((await this.store.holder(id)) !== null) return 'it is held';
    if ((await this.store.leftovers()).includes(id)) return 'a part of its folder is left';
    const tritons = await this.tritonsOf(id);
    const stored = await this.store.load(id).catch(() => null);
    if (stored === null) return tritons === 0 ? null : `${tritons} Tritons of what was removed`;
    const { deployment } = stored;
    const { outcome = 'ended', problem = '' } = deployment.change ?? {};
    if (outcome === null) return 'the change has no end';
    if (outcome === 'failed') return `the recovery failed: ${problem}`;
    if (tritons !== 1) return `${tritons} Tritons`;
    const served = await this.served((await this.address(id)) ?? 'http://127.0.0.1:9');
    const active = deployment.models[this.model]?.active.version;
    return served.length === 1 && served[0] === active
      ? null
      : `${served.join(', ')} is served, and the journal says ${active ?? 'none'}`;
  }
}
