import type { FileEntry } from '../contract/run/artefacts';
import { type JournalEntry, type StepId, stepIds } from '../contract/run/run-events';
import type { RunKey } from './run-key';
import { isStepSealed, type SealedContent, stepSeal, trustedFiles } from './run-seals';

interface Vouched {
  /** Of the step's inputs; null: trusted by somebody, whatever it was made from. */
  readonly key: string | null;
  readonly files: readonly FileEntry[];
}

/** The files that each step of a run left, as far as this home vouches for them: by its seal, or as somebody trusted them. */
export class StepManifests {
  private readonly vouched = new Map<StepId, Vouched>();

  constructor(
    private readonly key: RunKey,
    private readonly runId: string,
  ) {}

  /** Takes up what a journal says; a list without a seal of this home is not believed. */
  async read(content: SealedContent): Promise<this> {
    const { entries } = content;
    const trusted = await trustedFiles(this.key, content);
    const trustedAt = entries.findLast(({ type }) => type === 'run-trusted')?.seq ?? 0;
    if (trusted !== null) this.takeTrusted(trusted);
    for (const entry of entries) if (trusted === null || entry.seq > trustedAt) await this.take(entry);
    return this;
  }

  /** null: nobody vouches for files that the step made from these inputs. */
  of(step: StepId, key: string): readonly FileEntry[] | null {
    const found = this.vouched.get(step);
    return found !== undefined && (found.key === null || found.key === key) ? found.files : null;
  }

  /** Vouches for files, which must be on disk by now. @returns what `step-finished` carries. */
  async sealed(
    step: StepId,
    key: string,
    files: readonly FileEntry[],
  ): Promise<{ readonly files: FileEntry[]; readonly seal: string }> {
    const seal = await stepSeal(this.key, { runId: this.runId, step, key, files });
    this.vouched.set(step, { key, files });
    return { files: [...files], seal };
  }

  private takeTrusted(files: readonly FileEntry[]): void {
    for (const step of stepIds) {
      const below = `steps/${step}/`;
      const own = files.filter(({ path }) => path.startsWith(below));
      if (own.length === 0) continue;
      const inStep = own.map((file) => ({ ...file, path: file.path.slice(below.length) }));
      this.vouched.set(step, { key: null, files: inStep });
    }
  }

  private async take(entry: JournalEntry): Promise<void> {
    if (entry.type !== 'step-finished') return;
    const { step, key, files, seal } = entry;
    const isSealed =
      files !== undefined && (await isStepSealed(this.key, { runId: this.runId, step, key, files }, seal));
    if (isSealed) this.vouched.set(step, { key, files });
    else this.vouched.delete(step);
  }
}
