import { describe, expect, it } from 'vitest';
import type { MachineStatus } from '../../../../../main/contract/machine';
import type { RunSpec } from '../../../../../main/contract/run/run-spec';
import type { SpecPreview, SpecProblem, StartProblem } from '../../../../../main/contract/run/spec-tools';
import { resolveSpec } from '../../../../../main/presets/resolve-spec';
import { createDraft } from '../../../../../renderer/stores/draft/draft';
import { createStartCheck } from '../../../../../renderer/stores/draft/start-check';
import { createResource } from '../../../../../renderer/stores/resource';
import { planText } from '../../../../../renderer/views/new-deployment/plan-text';
import { isMissing, withStartProblems } from '../../../../../renderer/views/new-deployment/problems';
import { wizardModel } from '../../../../../renderer/views/new-deployment/wizard-model';
import { demoState } from '../../../../../renderer/views/runs/demo-state';
import { until } from '../../../../support/until';
import { createClientDouble } from '../../client-double';
import { resnet50 } from '../../wizard/preset';

const defaults = resolveSpec(resnet50, {});
const previewOf = (spec: RunSpec | null): SpecPreview => ({
  ...{ spec, specHash: null, defaults, problems: [] },
  ...{ configPbtxt: null, generatedPbtxt: null, commands: [] },
});

const tritonMissing: StartProblem = {
  field: 'engine.kind',
  code: 'toolchain-missing',
  severity: 'problem',
  message: 'Not installed on this machine: Triton',
  remedy: 'Install the missing tools, or run in Docker containers.',
  fixes: ['install-tools', 'use-docker'],
};

describe('the wizard on a machine without Triton', () => {
  it('is not ready to start, and says so at the engine', () => {
    const preview = previewOf(defaults);
    const draft = { preset: 'resnet50', overrides: {}, preview, spec: defaults };
    const rest = { stale: false, edit: null, error: null, changing: null, plan: null };
    const model = wizardModel({ ...draft, ...rest }, resnet50, [resnet50], null, [tritonMissing]);
    expect(model.ready).toBe(false);
    expect(model.problems).toContainEqual(tritonMissing);
    expect(wizardModel({ ...draft, ...rest }, resnet50, [resnet50], null, []).ready).toBe(true);
  });

  it('has one problem for one cause: the one with the button', () => {
    const plain: SpecProblem = {
      field: 'performance.loadTool',
      severity: 'problem',
      message: 'perf_analyzer is not installed on this machine',
      remedy: null,
    };
    const fixable: StartProblem = {
      ...plain,
      code: 'toolchain-missing',
      fixes: ['install-tools'],
    };
    expect(withStartProblems([plain], [fixable])).toEqual([fixable]);
    expect(withStartProblems([plain], [{ ...fixable, fixes: [] }])).toEqual([plain]);
  });
});

describe('the demo on the first screen', () => {
  const engines: MachineStatus['engines'] = [
    { kind: 'docker', available: true, version: '28', note: '', remedy: null },
  ];

  it('is refused with the reason and the ways out where Triton is missing', () => {
    const state = demoState({ engines, tools: { missing: ['triton'], installable: true } });
    expect(state).toMatchObject({ canInstall: true, canUseDocker: true });
    expect(state.why).toContain('Not installed: Triton. Install it first, or');
    const two = demoState({ engines, tools: { missing: ['python', 'triton'], installable: true } });
    expect(two.why).toContain('Install them first, or');
  });

  it('says so where nothing can be installed, and offers no Docker that does not answer', () => {
    const state = demoState({ engines: [], tools: { missing: ['python', 'triton'], installable: false } });
    expect(state).toMatchObject({ canInstall: false, canUseDocker: false });
    expect(state.why).toContain('They can be installed on Linux only');
  });

  it('starts where only perf_analyzer is missing, which it does not use', () => {
    const tools = { missing: ['perf-analyzer'], installable: true } as const;
    expect(demoState({ engines, tools }).why).toBeNull();
    expect(demoState(null).why).toBeNull();
  });
});

describe('a required field that nobody has filled in', () => {
  const url: SpecProblem = { field: 'engine.url', severity: 'problem', message: 'Required', remedy: null };

  it('is no error at the field until something was typed', () => {
    expect(isMissing(url, undefined)).toBe(true);
    expect(isMissing(url, '')).toBe(true);
    expect(isMissing({ ...url, message: 'must be an address' }, 'http://')).toBe(false);
  });
});

describe('the plan of a run on a remote Triton', () => {
  it('uses the server that is there and starts none', () => {
    const engine = { kind: 'remote', url: 'http://triton.example:8000' } as const;
    const deploy = planText({ ...defaults, engine }, []).find(({ step }) => step === 'deploy');
    expect(deploy?.what).toBe('Uses Triton at http://triton.example:8000 and checks resnet50');
  });
});

describe('the check before the start', () => {
  it('asks anew when what it depends on changes, and drops what was said of another port at once', async () => {
    let previewed: RunSpec = { ...defaults, engine: { kind: 'local', httpPort: 8000 } };
    const taken: StartProblem = {
      ...{ field: 'engine.httpPort', code: 'port-taken', severity: 'problem', remedy: null },
      message: 'Port 8000 is in use',
      fixes: ['use-free-port'],
    };
    const { client, calls } = createClientDouble({
      'drafts.list': () => [],
      'drafts.save': () => null,
      'spec.preview': () => previewOf(previewed),
      'runs.check': (input) => {
        const { spec } = input as { spec: RunSpec };
        return spec.engine.kind === 'local' && spec.engine.httpPort === 8000 ? [taken] : [];
      },
      'machine.get': () => null,
    });
    const draft = createDraft(client);
    const machine = createResource(() => client.call('machine.get'));
    const check = createStartCheck(client, draft, machine);
    const asked = () => calls.filter(([name]) => name === 'runs.check').length;
    await draft.getState().open();
    await until('the first answer', () => check.getState().problems.length > 0);
    expect(check.getState().problems).toEqual([taken]);

    // Nothing that it depends on: it is not asked again.
    previewed = { ...previewed, accuracy: { ...previewed.accuracy, maxMetricDelta: 0.5 } };
    await draft.getState().settle();
    expect(check.getState().problems).toEqual([taken]);

    previewed = { ...previewed, engine: { kind: 'local' } };
    await draft.getState().settle();
    expect(check.getState().problems).toEqual([]);
    const before = asked();
    await check.getState().again();
    expect(asked()).toBe(before + 1);
    expect(check.getState().problems).toEqual([]);
  });
});
