import { describe, expect, it } from 'vitest';
import type { MachineStatus } from '../../../../../main/contract/machine';
import { readAssignment } from '../../../../../main/contract/run/upstream-variables';
import { getAt, mergeTrees, setAt, type Tree, unsetAt } from '../../../../../main/contract/trees';
import { resolveSpec } from '../../../../../main/presets/resolve-spec';
import { defaultPrecision, readChoice } from '../../../../../main/specification/read-choice';
import {
  type Field,
  type FieldContext,
  pathOf,
} from '../../../../../renderer/views/new-deployment/fields/field';
import { engineForTarget } from '../../../../../renderer/views/new-deployment/fields/model-fields';
import { allFields } from '../../../../../renderer/views/new-deployment/fields/sections';
import { cliCommand, commandChanges } from '../../../../../renderer/views/new-deployment/plan-text';
import { wizardModel } from '../../../../../renderer/views/new-deployment/wizard-model';
import { resnet50 } from '../../wizard/preset';

const fieldsOf = (values: object): ReadonlyMap<string, Field> => {
  const context: FieldContext = {
    preset: resnet50,
    presets: [resnet50],
    machine: null,
    value: (...keys) => getAt(values, keys),
  };
  return new Map(allFields(context).map((field) => [pathOf(field), field]));
};

/** What of a machine decides where a published GPU can be had. */
const machineWith = (docker: boolean, gpuCount: number): MachineStatus => {
  const gpus = Array.from({ length: gpuCount }, () => ({ name: 'NVIDIA A100-SXM4-80GB' }));
  const engines = [{ kind: 'docker', available: docker, version: null, note: '', remedy: null }];
  // The rest of a machine is of no account here.
  return { engines, gpus: { gpus, problem: null } } as unknown as MachineStatus;
};

describe('fields of TLS', () => {
  const paths = ['caFile', 'serverName', 'certFile', 'keyFile'].map((name) => `engine.tls.${name}`);

  it('are there for a remote Triton, and of effect with https', () => {
    const remote = (url: string) => fieldsOf({ engine: { kind: 'remote', url } });
    for (const path of paths) {
      expect(fieldsOf({ engine: { kind: 'local' } }).has(path)).toBe(false);
      expect(remote('https://triton.example').get(path)?.idle).toBeUndefined();
      expect(remote('http://triton.example:8000').get(path)?.idle).toContain('https');
    }
  });
});

describe('the field of streams', () => {
  it('is of effect with gRPC', () => {
    const idle = (protocol: string) =>
      fieldsOf({ performance: { protocol } }).get('performance.streaming')?.idle;
    expect(idle('grpc')).toBeUndefined();
    expect(idle('http')).toContain('gRPC');
  });
});

describe('the fields of sequences', () => {
  const of = (configPatch: unknown, name: string, performance: object = {}) =>
    fieldsOf({ configure: { configPatch }, performance }).get(`performance.sequences.${name}`);

  it('are of effect for a model that keeps state', () => {
    for (const name of ['length', 'lengthVariation', 'firstId', 'endId']) {
      expect(of({}, name)?.idle).toContain('sequence_batching');
      expect(of({ sequenceBatching: {} }, name)?.idle).toBeUndefined();
      expect(of({ sequence_batching: { direct: {} } }, name)?.idle).toBeUndefined();
      // Taken out again.
      expect(of({ sequenceBatching: null }, name)?.idle).toContain('sequence_batching');
    }
  });

  it('have a number at once with request rates alone', () => {
    const stateful = { sequenceBatching: {} };
    expect(of(stateful, 'concurrent')?.idle).toContain('request rates');
    expect(of(stateful, 'concurrent', { requestRates: [10] })?.idle).toBeUndefined();
  });

  it('leave the rest of the sequences as they are by default, and none when taken back', () => {
    const keys = of({ sequenceBatching: {} }, 'length')?.keys ?? [];
    const chosen = setAt({ performance: { batchSizes: [1], onlineBatchSize: 1 } }, keys, 7);
    const read = (overrides: Tree) => readChoice(resnet50, { preset: 'resnet50', overrides }).spec;
    expect(read(chosen)?.performance.sequences).toEqual({
      ...{ length: 7, lengthVariation: 20, concurrent: 4, firstId: 1 },
    });
    expect(read(unsetAt(chosen, keys))?.performance.sequences).toBeUndefined();
  });
});

describe('a draft for a published GPU', () => {
  it('stays on the local Triton unless Docker and a GPU were found', () => {
    for (const machine of [null, machineWith(false, 0), machineWith(true, 0), machineWith(false, 1)]) {
      expect(engineForTarget(machine)).toEqual({ kind: 'local' });
    }
    expect(engineForTarget(machineWith(true, 1))).toBeNull();
  });

  it('is changed by the GPU alone, which can be taken back', () => {
    const overrides = {
      model: { profile: 'full' },
      targetGpu: 'A40',
      engine: { kind: 'local' },
      precision: 'fp32',
    };
    const choice = { preset: 'resnet50', overrides };
    const { spec, defaults } = readChoice(resnet50, choice);
    const precision = defaultPrecision(resnet50, choice) ?? 'fp32';
    const preview = {
      spec,
      defaults,
      defaultPrecision: precision,
      specHash: null,
      problems: [],
      configPbtxt: null,
      generatedPbtxt: null,
    };
    const draft = {
      preset: 'resnet50',
      overrides,
      spec,
      stale: false,
      edit: null,
      error: null,
      changing: null,
      plan: null,
    };
    const model = (machine: MachineStatus | null) =>
      wizardModel({ ...draft, preview: { ...preview, commands: [] } }, resnet50, [resnet50], machine);
    const changed = (machine: MachineStatus | null) =>
      model(machine).changes.map(({ keys, from, to }) => [keys.join('.'), from, to]);
    expect(changed(null)).toEqual([
      ['model.profile', 'quick', 'full'],
      ['targetGpu', undefined, 'A40'],
      // As the profile has it, and otherwise than published.
      ['precision', 'fp16', 'fp32'],
    ]);
    expect(model(null).isChanged(['targetGpu'])).toBe(true);
    // Where the GPU could be had another place is a choice.
    const argv = cliCommand(['resnet50'], commandChanges(model(null).changes, 'local'));
    const command = argv
      .filter((_, index) => argv[index - 1] === '--set')
      .map(readAssignment)
      .reduce(mergeTrees, {});
    expect(resolveSpec(resnet50, command)).toEqual(spec);
    expect(changed(machineWith(true, 1))).toContainEqual(['engine.kind', 'docker', 'local']);
  });
});
