import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CheckedModel } from '../../../../main/contract/repository-check';
import { ownConfigText, repositorySourceOf } from '../../../../main/formats/own-config';
import { filePreset } from '../../../../main/own/own-preset';
import { checkRepositories } from '../../../../main/own/repository/check-repository';
import { openRepository } from '../../../../main/own/repository/open-repository';
import { layerSpec, parseSpec } from '../../../../main/presets/resolve-spec';
import { ruleFindings } from '../../../../main/presets/spec-rules';
import { useCheckedRepository } from '../../../support/checked-repository';
import { directReaders } from '../../../support/direct-readers';
import { imageLayouts } from '../../../support/layouts/image';
import { type Layout, modelsOf } from '../../../support/layouts/layout';
import { refusedLayouts } from '../../../support/layouts/refused';
import { servedLayouts } from '../../../support/layouts/served';
import { rejection } from '../../../support/rejection';

const { bench, repository } = useCheckedRepository();

async function checked({ name, ...layout }: Layout): Promise<CheckedModel> {
  const root = await repository(modelsOf({ name, ...layout }));
  const { repositories } = await checkRepositories([join(root, name)], directReaders);
  const [model] = repositories[0]?.models ?? [];
  if (model === undefined) throw new Error(`no model ${name}`);
  return model;
}

/** Of the repository that was written for the check. */
const pathOf = (place: string): string => join(bench().dir, 'r', place);

const opened = ({ name, outcome }: Layout) =>
  openRepository(
    pathOf(name),
    { shapes: outcome.is === 'served' ? (outcome.shapes ?? {}) : {}, with: [] },
    { trust: bench().tools().trust, readers: directReaders },
  );

/** The run as it would be created, and what keeps it from being started. */
async function planned(layout: Layout) {
  const { source, open } = await opened(layout);
  expect(open).toStrictEqual([]);
  const preset = filePreset(source);
  const spec = parseSpec(layerSpec(preset, { model: { source } }));
  const findings = ruleFindings(preset, spec).filter(({ severity }) => severity === 'problem');
  const own = repositorySourceOf(spec.model);
  if (own === null) throw new Error('not of a repository');
  return { own, spec, findings };
}

describe('a layout of a repository', () => {
  it.each(servedLayouts)('$name is served with its own configuration', async (layout) => {
    const model = await checked(layout);
    expect([model.problems, model.needs]).toStrictEqual([[], undefined]);
    expect(model.verdict).not.toBe('does not load');
    const { own, spec, findings } = await planned(layout);
    expect(findings).toStrictEqual([]);
    const config = layout.given.config ?? null;
    expect(own.repository.config).toBe(config);
    expect(ownConfigText({ configure: spec.configure, source: own })).toStrictEqual({
      ...{ text: config, diff: '' },
    });
    expect(spec.configure.modelName).toBe(layout.name);
  });

  it.each(refusedLayouts)('$name is refused with the reason and the line', async (layout) => {
    const { name, outcome } = layout;
    if (outcome.is !== 'refused') throw new Error(`${name} is not refused`);
    const { verdict, problems } = await checked(layout);
    expect(verdict).toBe('does not load');
    const [first] = problems;
    expect(`${first?.message ?? ''} ${first?.remedy ?? ''}`).toContain(outcome.message);
    expect(first?.where).toBe(outcome.where);
    if (outcome.triton === null) expect(first?.triton).toBeNull();
    else expect(first?.triton).toContain(outcome.triton);

    const error = await rejection(opened(layout));
    expect([error.code, error.where]).toStrictEqual(['model-folder-invalid', pathOf(outcome.where)]);
    expect(`${error.message} ${error.remedy ?? ''}`).toContain(outcome.message);
  });

  it.each(imageLayouts)('$name is left to an image, with the reason', async (layout) => {
    const { outcome, name } = layout;
    if (outcome.is !== 'image') throw new Error(`${name} needs no image`);
    expect((await checked(layout)).problems).toStrictEqual([]);
    const { findings } = await planned(layout);
    expect(findings.map(({ code }) => code)).toContain('combination-unsupported');
    expect(findings.map(({ message }) => message).join('\n')).toContain(outcome.message);
    expect(findings.map(({ remedy }) => remedy ?? '').join('\n')).toContain('--engine docker');
  });
});
