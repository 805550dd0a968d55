import { runSpecSchema } from '../../../main/contract/run/run-spec';
import type { Choice, ImportedSpec } from '../../../main/contract/run/spec-tools';
import { mergeTrees } from '../../../main/contract/trees';
import type { DraftSession } from './draft-session';
import {
  type DraftAccess,
  type DraftState,
  firstPreset,
  isOwnModel,
  noPlan,
  openText,
  ownModelOf,
  withEdit,
} from './draft-state';

/** These are laid over the choice; other sources replace it. */
const partial: ReadonlySet<ImportedSpec['source']> = new Set(['config-pbtxt', 'shell-environment']);

type Noted = Pick<DraftState, 'name' | 'p99BudgetMs'>;

type ChoiceActions =
  'choosePreset' | 'chooseModel' | 'startOver' | 'startNew' | 'reuse' | 'changeRun' | 'importText';

export function choiceSlice(
  { client, get, set }: DraftAccess,
  { edited, replace, begin, marks, fresh }: DraftSession,
): Pick<DraftState, ChoiceActions> {
  /** Where it runs is kept; everything else is replaced, which can be undone where there is something. */
  const otherModel = (next: Choice, what: string): void => {
    const { engine, ...rest } = get().overrides;
    const overrides = { ...next.overrides, ...(engine === undefined ? {} : { engine }) };
    if (Object.keys(rest).length > 0 || openText(get()) !== null) {
      replace(
        { preset: next.preset, overrides },
        { kind: 'other-model', what },
        get().page,
        null,
        noted(get()),
      );
      return;
    }
    set({ preset: next.preset, changing: null, ...noPlan, edit: null });
    edited(overrides);
  };
  const newDraft = () =>
    ({ preset: firstPreset, page: 'environment', changing: null, name: '', ...fresh() }) as const;
  /** Name and budget are not part of the specification, and stay with another choice. */
  const noted = ({ name, p99BudgetMs }: Noted): Noted => ({ name, p99BudgetMs });
  const importedChoice = async ({ choice }: ImportedSpec): Promise<Choice | null> => {
    const { success, data } = runSpecSchema.safeParse(choice?.overrides);
    return success ? client.call('spec.choice', { spec: data }) : choice;
  };
  return {
    choosePreset: (preset, title = preset) => {
      if (preset === get().preset && !isOwnModel(get().overrides)) return;
      otherModel({ preset, overrides: {} }, title);
    },
    chooseModel: (choice, ownPreset, asNew = false) => {
      if (asNew) begin(firstPreset);
      set({ ownPreset });
      otherModel(choice, ownPreset.title);
    },
    startOver: () => {
      const { preset, overrides, changing: of } = get();
      const { overrides: given, ...more } =
        of === null ? fresh() : { overrides: {}, p99BudgetMs: get().p99BudgetMs };
      const kept = mergeTrees(given, ownModelOf(overrides));
      replace({ preset, overrides: kept }, { kind: 'started-over' }, 'environment', of, more);
    },
    startNew: begin,
    reuse: (next, what, ofRun = null) => {
      const p99BudgetMs = ofRun ?? fresh().p99BudgetMs;
      replace(next, { kind: 'reused', what }, 'model', null, { p99BudgetMs });
    },
    changeRun: (next, runId, page, p99BudgetMs = null) =>
      replace(next, { kind: 'changing', runId }, page, runId, { p99BudgetMs }),
    importText: async (fileName, text, { configuration, asNew = false } = {}) => {
      const base = asNew ? newDraft() : get();
      const { preset, overrides, page, changing } = base;
      const imported = await client.call('spec.import', {
        text,
        fileName,
        preset,
        overrides: { ...overrides },
        ...(configuration === undefined ? {} : { configuration }),
      });
      const { source, notes, configurations } = imported;
      const others = configurations === undefined ? {} : { others: { ...configurations, text, asNew } };
      const found = await importedChoice(imported);
      const more = noted(asNew ? base : get());
      const notice = { kind: 'imported', fileName, source, notes, taken: found !== null, ...others } as const;
      if (found === null) {
        marks.before = null;
        set({ notice });
      } else if (partial.has(source) && found.preset === preset) {
        const laidOver = { preset, overrides: { ...withEdit(overrides, found.overrides) } };
        replace(laidOver, notice, page, changing, more);
      } else replace(found, notice, page, null, more);
    },
  };
}
