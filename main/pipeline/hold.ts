import { type ErrorCode, toWire, type WireError, WorkbenchError } from '../contract/errors';
import type { RunWait } from '../contract/run/run-events';
import type { RunState } from '../contract/run/run-state';
import type { EngineWatch } from '../engine/place';

/** What keeps a run from going on, and goes away without it: a full disk, an engine that is away. */
export interface Hold {
  readonly wait: RunWait;
  /** What the run met. */
  readonly error: WireError;
  /** Milliseconds between two looks. */
  readonly everyMs: number;
  /** The run waits no longer and fails; for ever where absent. */
  readonly limitMs?: number | undefined;
  isOver(): Promise<boolean>;
}

/** Ends the steps of an attempt without an outcome: it continues once the hold is over. */
export class HeldUp extends WorkbenchError {
  constructor(
    readonly hold: Hold,
    cause: unknown,
  ) {
    const { code, message, where, remedy, details } = hold.error;
    super(code, message, { where, remedy, details, cause });
  }
}

/** A person may know better than the looks: the run tries at once. */
export class ContinueNow {
  private asked: (() => void) | null = null;

  /** False when nothing waits. */
  ask(): boolean {
    this.asked?.();
    return this.asked !== null;
  }

  listen(take: () => void): () => void {
    this.asked = take;
    return () => {
      this.asked = null;
    };
  }
}

const everyMs = 2000;
/** An engine that answers again and still gives nothing is not what is wrong. */
const mostTries = 3;

/** What a run meets when the engine takes its containers away, or does not answer. */
const ofEngine: ReadonlySet<ErrorCode> = new Set([
  'docker-unreachable',
  'docker-failed',
  'container-failed',
  'server-start-failed',
  'server-gone',
  'server-unreachable',
  'model-not-ready',
  'model-load-failed',
  'inference-failed',
  'toolkit-failed',
  'load-tool-failed',
  'measurement-failed',
]);

/** How far a run has come: grows with everything that is not done again. */
const progressOf = ({ steps, scenarios }: RunState): number =>
  steps.filter(({ status }) => status === 'done' || status === 'skipped').length +
  scenarios.offline.points.length +
  scenarios.online.points.length;

/** The absences of the engine that one attempt at a run meets. */
export class EngineHolds {
  private tries = 0;
  private progress = -1;

  constructor(
    private readonly watch: EngineWatch,
    private readonly state: () => RunState,
  ) {}

  /**
   * The hold that `error` stands for; null when the engine was there all the time.
   * @param left the work was left because the engine had been away too long: whatever it said then.
   */
  async of(error: unknown, left: boolean): Promise<Hold | null> {
    const told = toWire(error);
    if (!left && !ofEngine.has(told.code)) return null;
    if (!left && !(await this.watch.wasAway())) return null;
    const progress = progressOf(this.state());
    this.tries = progress > this.progress ? 1 : this.tries + 1;
    this.progress = progress;
    if (this.tries > mostTries && (await this.watch.answers())) return null;
    return {
      wait: { reason: 'engine', what: this.watch.name },
      error: {
        code: 'docker-unreachable',
        message: `${this.watch.name} did not answer`,
        details: [`${told.code}: ${told.message}`, told.details ?? ''].join('\n').trim(),
      },
      everyMs,
      limitMs: this.watch.waitMs,
      isOver: () => this.watch.answers(),
    };
  }
}
