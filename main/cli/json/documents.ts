import type { CoreEvent } from '../../contract/api';
import type { WireError } from '../../contract/errors';
import type { Host, HostCheck, HostStatus } from '../../contract/host/hosts';
import type { CapacityDocument } from '../../contract/measured/capacity-document';
import type { RepositoryCheck } from '../../contract/repository-check';
import type { SpecPreview } from '../../contract/run/spec-tools';
import type { componentFacts, ComponentId, ComponentStatus } from '../../contract/setup';
import type { AnalyzerConfig } from '../../contract/study/analyzer-config';
import type { JointPlan, StudyReports } from '../../contract/study/study';
import type { Core } from '../../core';
import type { MeasureAgain } from '../../domain/measured/again';
import type { limitsDocument } from '../../domain/measured/limits/limits';
import type { matrixDocument } from '../../domain/measured/matrix';
import type { slowDocument } from '../../domain/measured/slow/slow-text';
import type { bestDocument } from '../../domain/measured/verdict';
import type { WhatIf, WhatIfAsk } from '../../domain/predict/what-if';
import type { DuelAnswer } from '../../domain/study/duel/duel-answer';
import type { JointAnswer } from '../../domain/study/joint/joint-answer';
import type { SearchAnswer } from '../../domain/study/search/search-answer';
import type { SoakAnswer } from '../../domain/study/soak/soak-answer';
import type { UpgradeAnswer } from '../../domain/study/upgrade/upgrade-answer';
import type { coldStartDocument } from './cold-start-document';
import type { ComparisonDocument } from './comparison-document';
import type { fieldEntry } from './field-entry';
import type { levelsDocument } from './levels-document';
import type { runDocument } from './run-document';

type Handlers = Core['handlers'];
/** What a call of the core resolves with. */
type Result<Call extends keyof Handlers> = Awaited<ReturnType<Handlers[Call]>>;
type Sample = Extract<CoreEvent, { readonly type: 'monitor-sample' }>;

type RunDocument = ReturnType<typeof runDocument>;
type MatrixDocument = ReturnType<typeof matrixDocument>;
type SearchPlan = Result<'searches.plan'>;
type DuelPlan = Result<'duels.plan'>;
type SoakPlan = Result<'soaks.plan'>;
type UpgradePlan = Result<'upgrades.plan'>;
type StudyFiles = StudyReports['files'];

/** A matrix at its end; without reports, as none of its runs was possible. */
interface MatrixEnd extends MatrixDocument {
  readonly reports?: StudyFiles;
}

interface SearchEnd {
  readonly name: string;
  readonly search: SearchPlan['search'];
  readonly answer: SearchAnswer;
  readonly configs: Result<'searches.configs'>;
  readonly reports: StudyFiles;
}

interface JointEnd {
  readonly name: string;
  readonly joint: JointPlan['joint'];
  readonly answer: JointAnswer;
  readonly reports: StudyFiles;
}

interface DuelEnd {
  readonly name: string;
  readonly duel: DuelPlan['duel'];
  readonly answer: DuelAnswer;
  readonly reports: StudyFiles;
}

interface SoakEnd {
  readonly name: string;
  readonly soak: SoakPlan['soak'];
  readonly answer: SoakAnswer;
  readonly reports: StudyFiles;
}

interface UpgradeEnd {
  readonly name: string;
  readonly upgrade: UpgradePlan['upgrade'];
  readonly answer: UpgradeAnswer;
  readonly reports: StudyFiles;
}

/** With the deployment, where it was moved. */
type MovedUpgrade = UpgradeEnd & { readonly deployment?: Deployment | undefined };

interface ShownStudy {
  readonly study: Result<'studies.list'>[number] & {
    readonly secondsLeft: number | null;
    readonly underWay: readonly string[];
  };
}

interface Prediction extends Partial<Omit<WhatIf, 'predicted'>> {
  readonly kind: 'triton-workbench-prediction';
  readonly version: 1;
  readonly runId: string;
  readonly asked: WhatIfAsk;
  readonly text: string;
  readonly predicted: WhatIf['predicted'] | null;
  readonly notes?: readonly string[];
}

interface PlannedCapacity extends CapacityDocument {
  readonly search?:
    { readonly name: string; readonly candidate: number; readonly configuration: string } | undefined;
  /** With the present configuration of the search. */
  readonly present?: { readonly replicas: number | null; readonly text: string } | undefined;
}

/** Without a text within a budget. */
type BestLevel = Omit<NonNullable<ReturnType<typeof bestDocument>>, 'text'> & { readonly text?: string };

interface Requested {
  readonly requested: true;
}

interface Removed {
  readonly removed: true;
}

interface Setting {
  readonly key: string;
  readonly value: string | number | boolean | null;
}

type Deployment = Result<'deployments.show'>;

/**
 * What each verb prints with `--json`. `scripts/schemas.mjs` writes docs/reference/schemas/json.schema.json from it:
 * a property that may be undefined is one that may be absent.
 */
export interface Documents {
  /** Any verb that fails: in place of its result. */
  error: { readonly error: WireError & { readonly remedy: string } };
  run: RunDocument | MatrixEnd;
  resume: RunDocument | MeasureAgain | Result<'runs.planChange'>;
  /** With `--as json`. */
  spec:
    | SpecPreview
    | (MatrixDocument & {
        readonly specs: readonly { readonly number: number; readonly spec: SpecPreview['spec'] }[];
      });
  fields: readonly ReturnType<typeof fieldEntry>[];
  perf: ReturnType<typeof levelsDocument>;
  compare: ComparisonDocument | DuelEnd | DuelPlan;
  best: {
    readonly runIds: readonly string[];
    readonly p99BudgetMs: number | null;
    readonly runId: string | null;
    readonly best?: BestLevel | null | undefined;
    readonly isClear: boolean;
    readonly text: string;
  };
  capacity: PlannedCapacity;
  predict: Prediction;
  limits: ReturnType<typeof limitsDocument> | DuelEnd | DuelPlan;
  'cold-start': ReturnType<typeof coldStartDocument>;
  trace: ReturnType<typeof slowDocument>;
  import:
    (RunDocument & { readonly notes: readonly string[] }) | Pick<Result<'runs.import'>, 'runs' | 'notes'>;
  runs: Result<'runs.all'> | { readonly runId: string; readonly runs: Result<'runs.all'>['runs'] };
  show: RunDocument;
  cancel: Requested & { readonly runId: string };
  pause: Requested & { readonly runId: string };
  report: { readonly runId: string; readonly reports: Result<'runs.writeReports'> };
  rename: { readonly runId: string; readonly name: string | null };
  clean: Result<'upkeep.plan'> | Result<'upkeep.clean'>;
  presets: Result<'presets.list'>;
  check: RepositoryCheck;
  'presets show': {
    readonly preset: Result<'presets.list'>[number];
    readonly published: Result<'presets.published'>;
  };
  'data list': readonly { readonly preset: string; readonly items: Result<'data.list'> }[];
  'data fetch':
    | Result<'data.list'>[number]
    | Result<'data.ended'>
    | { readonly reference: string; readonly path: string };
  search: SearchEnd | (SearchPlan & { readonly analyzer?: AnalyzerConfig }) | JointEnd | JointPlan;
  soak: SoakEnd | SoakPlan;
  upgrade: MovedUpgrade | UpgradePlan | { readonly name: string; readonly deployment: Deployment };
  'studies list': Result<'studies.list'>;
  'studies show':
    | (ShownStudy & Pick<SearchEnd, 'search' | 'answer' | 'configs'>)
    | (ShownStudy & Pick<JointEnd, 'joint' | 'answer'>)
    | (ShownStudy & Pick<DuelEnd, 'duel' | 'answer'>)
    | (ShownStudy & Pick<SoakEnd, 'soak' | 'answer'>)
    | (ShownStudy & Pick<UpgradeEnd, 'upgrade' | 'answer'>)
    | (ShownStudy & MatrixDocument);
  'studies pause': Requested & { readonly name: string };
  'studies cancel': Requested & { readonly name: string };
  'studies resume': MatrixEnd | SearchEnd | JointEnd | DuelEnd | SoakEnd | UpgradeEnd;
  'studies report': { readonly name: string; readonly reports: StudyFiles };
  'studies remove': Removed & { readonly name: string; readonly withRuns: boolean };
  deploy: Deployment;
  'deployments list': Result<'deployments.list'>;
  'deployments show': Deployment;
  'deployments start': Deployment;
  'deployments stop': Deployment;
  'deployments restart': Deployment;
  'deployments rollback': Deployment;
  'deployments remove': Removed & { readonly id: string };
  bundle: { readonly runId: string; readonly path: string };
  'golden record': Result<'golden.record'> & {
    readonly kind: 'triton-workbench-golden-record';
    readonly version: 1;
  };
  'golden check': Result<'golden.check'> & {
    readonly kind: 'triton-workbench-golden-check';
    readonly version: 1;
    readonly file: string;
    readonly url: string;
  };
  /** One document per sample, each on a line. */
  monitor: Sample['sample'] & Pick<Sample, 'alerts'>;
  detect: Result<'machine.check'>;
  'hosts list': readonly (Host & { readonly status?: HostStatus })[];
  'hosts show': HostStatus;
  'hosts check': HostCheck;
  'hosts add': Host & Partial<HostCheck>;
  'hosts remove': Removed & { readonly name: string };
  setup: {
    readonly components: readonly (ComponentStatus & (typeof componentFacts)[ComponentId])[];
    readonly systemPackages?: Result<'tools.systemPackages'>;
  };
  'images list': Result<'docker.images'>;
  'images build': readonly Result<'docker.imageWorkEnded'>[];
  'images pull': Result<'docker.imageWorkEnded'>;
  'images remove': { readonly removed: string };
  'settings list': Result<'settings.get'>;
  'settings get': Setting;
  'settings set': Setting;
  'settings reset': Setting;
}

export type JsonDocument = Documents[keyof Documents];
