import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseMetrics, readMetrics } from '../../../main/triton/metrics';

const capture = (name: string) => readFileSync(`test/fixtures/triton-metrics/${name}.txt`, 'utf8');
const valueOf = (text: string, name: string, labels: Record<string, string> = {}) =>
  [...parseMetrics(text)].find(
    (metric) =>
      metric.name === name && Object.entries(labels).every(([key, value]) => metric.labels[key] === value),
  )?.value;

describe('metrics as Triton 2.51 sent them', () => {
  it('every line that is no comment is a value', () => {
    for (const name of ['idle', 'three-requests', 'reloaded']) {
      const lines = capture(name).split('\n');
      const values = lines.filter((line) => line !== '' && !line.startsWith('#'));
      expect(values.length).toBeGreaterThan(10);
      expect([...parseMetrics(capture(name))]).toHaveLength(values.length);
    }
  });

  it('counts three requests of batch 2, and the failures of a killed stub', () => {
    const echo = { model: 'echo', version: '1' };
    expect(valueOf(capture('three-requests'), 'nv_inference_request_success', echo)).toBe(3);
    expect(valueOf(capture('three-requests'), 'nv_inference_count', echo)).toBe(6);
    const backend = { ...echo, reason: 'BACKEND' };
    expect(valueOf(capture('reloaded'), 'nv_inference_request_failure', backend)).toBe(3);
  });

  it('keeps what it makes nothing of by its name and labels', () => {
    const read = readMetrics(parseMetrics(capture('three-requests')));
    expect(read.pending.get('echo/1')).toBe(0);
    expect(read.gpus).toEqual([]);
    expect(read.other['nv_pinned_memory_pool_total_bytes']).toBe(268_435_456);
    expect(read.other['nv_inference_request_failure{model="echo",reason="BACKEND",version="1"}']).toBe(0);
    expect(Object.keys(read.other)).not.toContain('nv_inference_count{model="echo",version="1"}');
  });
});

describe('the text format', () => {
  it('reads escapes, timestamps, infinities and blanks in labels', () => {
    const text = [
      'a{x="q\\"uote, }",y="back\\\\slash\\nline"} 1.5e3 1700000000000',
      'b +Inf',
      'c{} -Inf',
      'd{ x = "1" , } NaN',
      'e 0',
    ].join('\n');
    expect([...parseMetrics(text)]).toEqual([
      { name: 'a', labels: { x: 'q"uote, }', y: 'back\\slash\nline' }, value: 1500 },
      { name: 'b', labels: {}, value: Infinity },
      { name: 'c', labels: {}, value: -Infinity },
      { name: 'd', labels: { x: '1' }, value: NaN },
      { name: 'e', labels: {}, value: 0 },
    ]);
  });

  it('leaves out what is none', () => {
    expect([...parseMetrics('<html>\nname{x=1} 3\nname\nname three\n{} 1\n# TYPE a counter')]).toEqual([]);
  });

  it('gathers the figures of each GPU, in the names of the user guide', () => {
    const text = [
      'nv_gpu_utilization{gpu_uuid="GPU-a"} 0.37',
      'nv_gpu_memory_used_bytes{gpu_uuid="GPU-a"} 1e9',
      'nv_gpu_power_usage{gpu_uuid="GPU-b"} 92.5',
      'nv_energy_consumption{gpu_uuid="GPU-a"} 12',
      'nv_gpu_power_limit{gpu_uuid="GPU-b"} NaN',
    ].join('\n');
    const read = readMetrics(parseMetrics(text));
    expect(read.gpus.map((gpu) => [gpu.uuid, gpu.utilization, gpu.memoryUsedBytes, gpu.powerWatts])).toEqual([
      ['GPU-a', 0.37, 1e9, null],
      ['GPU-b', null, null, 92.5],
    ]);
    expect(read.gpus[1]?.powerLimitWatts).toBeNull();
    expect(read.other).toEqual({ 'nv_energy_consumption{gpu_uuid="GPU-a"}': 12 });
  });
});

describe('metrics of a server that means no good', () => {
  it('a line longer than 64 KiB is left out, and what follows 200,000 lines is not read', () => {
    const long = `long{x="${'y'.repeat(70_000)}"} 1`;
    expect([...parseMetrics(`${long}\na 1\n`)]).toEqual([{ name: 'a', labels: {}, value: 1 }]);
    let read = 0;
    for (const { value } of parseMetrics('a 1\n'.repeat(1_000_000))) read += value;
    expect(read).toBe(200_000);
  });

  it('a line of more labels than a metric has is left out', () => {
    const line = (labels: number) =>
      `m{${Array.from({ length: labels }, (_unused, at) => `l${at}="x"`).join()}} 1`;
    expect(
      [...parseMetrics(`${line(65)}\n${line(64)}\n`)].map(({ labels }) => Object.keys(labels).length),
    ).toEqual([64]);
  });

  it('names of what every object has are no figures of a GPU', () => {
    const { gpus } = readMetrics(parseMetrics('constructor{gpu_uuid="GPU-a"} 1\n'));
    expect(gpus).toEqual([]);
  });
});
