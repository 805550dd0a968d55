import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GpuReport } from '../../../../main/contract/machine';
import { type DockerEngineSpec, type Format, formats } from '../../../../main/contract/run/run-spec';
import { releaseFor, releaseNeeds } from '../../../../main/engine/docker/run-images';
import { parseNvidiaSmi } from '../../../../main/machine/nvidia-smi';
import { readReleases } from '../../../../main/machine/releases';
import { readPresets } from '../../../../main/presets/presets';
import { layerSpec, parseSpec } from '../../../../main/presets/resolve-spec';
import { ruleFindings } from '../../../../main/presets/spec-rules';
import { repository } from '../../../support/home';
import { readCapture } from '../../machine/captures';
import { gpuWith } from '../../machine/preflight-input';

const resources = join(repository, 'resources');
const releases = await readReleases(resources);
const presets = [...readPresets(resources).values()].map(({ preset }) => preset);
const engine: DockerEngineSpec = { kind: 'docker', gpus: ['all'], shmSizeMiB: 1024 };

const gpus = {
  A30: gpuWith({ name: 'NVIDIA A30', computeCapability: '8.0' }),
  A40: gpuWith({ name: 'NVIDIA A40', computeCapability: '8.6' }),
  A100: gpuWith({ name: 'NVIDIA A100-SXM4-40GB', computeCapability: '8.0' }),
  V100: gpuWith({ name: 'Tesla V100-SXM2-16GB', computeCapability: '7.0', architecture: 'Volta' }),
  T4: gpuWith({ name: 'Tesla T4', computeCapability: '7.5', architecture: 'Turing' }),
};
const drivers = ['515.105.01', '535.183.01', '580.82.07'];

const answerFor = (report: GpuReport, format: Format | null, more: Partial<DockerEngineSpec> = {}) => {
  const asked = { ...engine, ...more };
  return releaseFor(asked, releaseNeeds(asked, format), { gpus: report, releases });
};

/** "25.02 tf-savedmodel · 26.07 onnx trt", or what is missing. */
function row(preset: (typeof presets)[number], report: GpuReport): string {
  const served = formats.filter((format) => {
    try {
      const spec = parseSpec(layerSpec(preset, { engine, format, model: { profile: 'full' } }));
      return ruleFindings(preset, spec).every(({ severity }) => severity !== 'problem');
    } catch {
      return false;
    }
  });
  const answers = new Map<string, Format[]>();
  for (const format of served) {
    const fit = releaseFor(engine, releaseNeeds(engine, format, preset.ngcRelease), {
      gpus: report,
      releases,
    });
    const answer = fit?.kind === 'fits' ? fit.release : `none: ${fit?.remedy.slice(0, 28) ?? ''}`;
    answers.set(answer, [...(answers.get(answer) ?? []), format]);
  }
  return [...answers].map(([answer, of]) => `${answer} ${of.join(' ')}`).join(' · ');
}

it('gives every preset on every published GPU a release, its formats, or what is missing', () => {
  const lines = presets.flatMap((preset) =>
    Object.entries(gpus).flatMap(([name, gpu]) =>
      drivers.map((driverVersion) => {
        const report = { driverVersion, cudaVersion: null, gpus: [gpu], problem: null };
        return `${preset.id.padEnd(14)}${name.padEnd(5)}${driverVersion.padEnd(11)} ${row(preset, report)}`;
      }),
    ),
  );
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "fastpitch     A30  515.105.01  none: Install driver 580 or later  onnx ts-trace ts-script
    fastpitch     A30  535.183.01  26.07 onnx ts-trace ts-script
    fastpitch     A30  580.82.07   26.07 onnx ts-trace ts-script
    fastpitch     A40  515.105.01  none: Install driver 580 or later  onnx ts-trace ts-script
    fastpitch     A40  535.183.01  26.07 onnx ts-trace ts-script
    fastpitch     A40  580.82.07   26.07 onnx ts-trace ts-script
    fastpitch     A100 515.105.01  none: Install driver 580 or later  onnx ts-trace ts-script
    fastpitch     A100 535.183.01  26.07 onnx ts-trace ts-script
    fastpitch     A100 580.82.07   26.07 onnx ts-trace ts-script
    fastpitch     V100 515.105.01  none: Install driver 560 or later  onnx ts-trace ts-script
    fastpitch     V100 535.183.01  24.10 onnx ts-trace ts-script
    fastpitch     V100 580.82.07   24.10 onnx ts-trace ts-script
    fastpitch     T4   515.105.01  none: Install driver 580 or later  onnx ts-trace ts-script
    fastpitch     T4   535.183.01  26.07 onnx ts-trace ts-script
    fastpitch     T4   580.82.07   26.07 onnx ts-trace ts-script
    nnunet        A30  515.105.01  none: Install driver 580 or later  onnx ts-trace ts-script trt
    nnunet        A30  535.183.01  26.07 onnx ts-trace ts-script trt
    nnunet        A30  580.82.07   26.07 onnx ts-trace ts-script trt
    nnunet        A40  515.105.01  none: Install driver 580 or later  onnx ts-trace ts-script trt
    nnunet        A40  535.183.01  26.07 onnx ts-trace ts-script trt
    nnunet        A40  580.82.07   26.07 onnx ts-trace ts-script trt
    nnunet        A100 515.105.01  none: Install driver 580 or later  onnx ts-trace ts-script trt
    nnunet        A100 535.183.01  26.07 onnx ts-trace ts-script trt
    nnunet        A100 580.82.07   26.07 onnx ts-trace ts-script trt
    nnunet        V100 515.105.01  none: Install driver 560 or later  onnx ts-trace ts-script trt
    nnunet        V100 535.183.01  24.10 onnx ts-trace ts-script trt
    nnunet        V100 580.82.07   24.10 onnx ts-trace ts-script trt
    nnunet        T4   515.105.01  none: Install driver 580 or later  onnx ts-trace ts-script trt
    nnunet        T4   535.183.01  26.07 onnx ts-trace ts-script trt
    nnunet        T4   580.82.07   26.07 onnx ts-trace ts-script trt
    resnet50      A30  515.105.01  none: Install driver 580 or later  onnx ts-trace ts-script trt
    resnet50      A30  535.183.01  26.07 onnx ts-trace ts-script trt
    resnet50      A30  580.82.07   26.07 onnx ts-trace ts-script trt
    resnet50      A40  515.105.01  none: Install driver 580 or later  onnx ts-trace ts-script trt
    resnet50      A40  535.183.01  26.07 onnx ts-trace ts-script trt
    resnet50      A40  580.82.07   26.07 onnx ts-trace ts-script trt
    resnet50      A100 515.105.01  none: Install driver 580 or later  onnx ts-trace ts-script trt
    resnet50      A100 535.183.01  26.07 onnx ts-trace ts-script trt
    resnet50      A100 580.82.07   26.07 onnx ts-trace ts-script trt
    resnet50      V100 515.105.01  none: Install driver 560 or later  onnx ts-trace ts-script trt
    resnet50      V100 535.183.01  24.10 onnx ts-trace ts-script trt
    resnet50      V100 580.82.07   24.10 onnx ts-trace ts-script trt
    resnet50      T4   515.105.01  none: Install driver 580 or later  onnx ts-trace ts-script trt
    resnet50      T4   535.183.01  26.07 onnx ts-trace ts-script trt
    resnet50      T4   580.82.07   26.07 onnx ts-trace ts-script trt
    tft           A30  515.105.01  none: Install driver 580 or later  onnx ts-trace ts-script trt
    tft           A30  535.183.01  26.07 onnx ts-trace ts-script trt
    tft           A30  580.82.07   26.07 onnx ts-trace ts-script trt
    tft           A40  515.105.01  none: Install driver 580 or later  onnx ts-trace ts-script trt
    tft           A40  535.183.01  26.07 onnx ts-trace ts-script trt
    tft           A40  580.82.07   26.07 onnx ts-trace ts-script trt
    tft           A100 515.105.01  none: Install driver 580 or later  onnx ts-trace ts-script trt
    tft           A100 535.183.01  26.07 onnx ts-trace ts-script trt
    tft           A100 580.82.07   26.07 onnx ts-trace ts-script trt
    tft           V100 515.105.01  none: Install driver 560 or later  onnx ts-trace ts-script trt
    tft           V100 535.183.01  24.10 onnx ts-trace ts-script trt
    tft           V100 580.82.07   24.10 onnx ts-trace ts-script trt
    tft           T4   515.105.01  none: Install driver 580 or later  onnx ts-trace ts-script trt
    tft           T4   535.183.01  26.07 onnx ts-trace ts-script trt
    tft           T4   580.82.07   26.07 onnx ts-trace ts-script trt
    wide-and-deep A30  515.105.01  none: Install driver 580 or later  onnx trt · none: Install driver 560 or later  tf-savedmodel
    wide-and-deep A30  535.183.01  26.07 onnx trt · 25.02 tf-savedmodel
    wide-and-deep A30  580.82.07   26.07 onnx trt · 25.02 tf-savedmodel
    wide-and-deep A40  515.105.01  none: Install driver 580 or later  onnx trt · none: Install driver 560 or later  tf-savedmodel
    wide-and-deep A40  535.183.01  26.07 onnx trt · 25.02 tf-savedmodel
    wide-and-deep A40  580.82.07   26.07 onnx trt · 25.02 tf-savedmodel
    wide-and-deep A100 515.105.01  none: Install driver 580 or later  onnx trt · none: Install driver 560 or later  tf-savedmodel
    wide-and-deep A100 535.183.01  26.07 onnx trt · 25.02 tf-savedmodel
    wide-and-deep A100 580.82.07   26.07 onnx trt · 25.02 tf-savedmodel
    wide-and-deep V100 515.105.01  none: Install driver 560 or later  onnx tf-savedmodel trt
    wide-and-deep V100 535.183.01  24.10 onnx tf-savedmodel trt
    wide-and-deep V100 580.82.07   24.10 onnx tf-savedmodel trt
    wide-and-deep T4   515.105.01  none: Install driver 580 or later  onnx trt · none: Install driver 560 or later  tf-savedmodel
    wide-and-deep T4   535.183.01  26.07 onnx trt · 25.02 tf-savedmodel
    wide-and-deep T4   580.82.07   26.07 onnx trt · 25.02 tf-savedmodel"
  `);
});

describe('on captures of nvidia-smi', () => {
  it.each([
    'tesla-v100s-v11.xml',
    'tesla-t4.xml',
    'a10g-v11.xml',
    'a100-sxm4-v12.xml',
    'gtx-1660-ti.xml',
    'h100-v13.xml',
    'h200-v13.xml',
    'rtx-3080-v13.xml',
    'rtx-pro-6000-blackwell-v13.xml',
  ])('%s', async (file) => {
    const report = parseNvidiaSmi(await readCapture(file));
    if (report === null) throw new Error('no report');
    const texts = [answerFor(report, 'onnx'), answerFor(report, 'tf-savedmodel')].map((fit) =>
      fit?.kind === 'fits' ? fit.reason : `${fit?.finding ?? ''} ${fit?.remedy ?? ''}`,
    );
    expect(`\n${texts.join('\n')}\n`).toMatchSnapshot();
  });
});
