import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import { readModelAnalyzer } from '../../../../main/perf/import/model-analyzer-csv';
import { readTable } from '../../../../main/perf/import/model-analyzer-table';

/** As Model Analyzer writes it with its default fields, and two blank lines behind. */
const inference = `Model,Batch,Concurrency,Model Config Path,Instance Group,Max Batch Size,Satisfies Constraints,Throughput (infer/sec),p99 Latency (ms)
wide,1,32,wide_config_3,2:CPU,8,Yes,1412.3,32.8
wide,1,16,wide_config_3,2:CPU,8,Yes,1191.0,24.5
wide,1,4,wide_config_default,1:CPU,16,No,402.1,12.1

`;
const gpu = `Model,GPU UUID,Batch,Concurrency,Model Config Path,Instance Group,Satisfies Constraints,GPU Memory Usage (MB),GPU Utilization (%),GPU Power Usage (W),DCGM
wide,GPU-1,1,32,wide_config_3,2:GPU,Yes,512.0,80.5,120.5,1
wide,GPU-2,1,32,wide_config_3,2:GPU,Yes,300.0,None,None,1
`;
const server = `Model,GPU UUID,GPU Memory Usage (MB),GPU Utilization (%),GPU Power Usage (W)
triton-server,GPU-1,500.0,0.0,30.1
`;

const read = (text: string, beside: { readonly gpu?: string; readonly server?: string } = {}) =>
  readModelAnalyzer(readTable(text, 'metrics-model-inference.csv'), {
    gpu: beside.gpu === undefined ? null : readTable(beside.gpu, 'metrics-model-gpu.csv'),
    server: beside.server === undefined ? null : readTable(beside.server, 'metrics-server-only.csv'),
  });

function refusal(text: string): WorkbenchError {
  try {
    read(text);
  } catch (error) {
    if (error instanceof WorkbenchError) return error;
    throw error;
  }
  throw new Error('It was read');
}

describe('the levels of Model Analyzer', () => {
  it('are of one configuration each, with what the file has and nothing else', () => {
    const [best, other, ...more] = read(inference);
    expect(more).toEqual([]);
    expect(best).toMatchObject({ model: 'wide', name: 'wide_config_3' });
    expect(best?.points).toMatchObject([
      { batchSize: 1, concurrency: 32, inferencesPerSecond: 1412.3, p99Us: 32_800, p50Us: null, p95Us: null },
      {
        batchSize: 1,
        concurrency: 16,
        inferencesPerSecond: 1191,
        p99Us: 24_500,
        avgUs: null,
        serverQueueUs: null,
      },
    ]);
    expect(
      best?.points.every(({ gpus, requestRate }) => gpus === undefined && requestRate === undefined),
    ).toBe(true);
    expect(best?.notes).toContain('Configuration wide_config_3: Instance Group 2:CPU, Max Batch Size 8.');
    expect(best?.notes).toContain('Satisfies Constraints: 2 of 2 levels, as Model Analyzer judged them.');
    expect(other?.name).toBe('wide_config_default');
    expect(other?.notes).toContain('Satisfies Constraints: 0 of 1 levels, as Model Analyzer judged them.');
  });

  it('have the other latencies, the times of the server, and the network as their difference', () => {
    const [one] = read(
      `Model,Batch,Request Rate,Model Config Path,Throughput (infer/sec),Avg Latency (ms),p90 Latency (ms),p95 Latency (ms),p99 Latency (ms),Client Send/Recv (ms),Response Wait Time (ms),Server Queue time (ms),Server Compute Input time (ms),Server Compute Infer time (ms),Server Compute Output time (ms),RAM Usage (MB),backend_parameter/threads
a,2,150,a_config_0,299.9,4.2,5.1,6.3,7.0,0.1,4.1,1.0,0.1,2.5,0.2,900,4
`,
    );
    expect(one?.points).toMatchObject([
      {
        ...{ batchSize: 2, requestRate: 150, avgUs: 4200, p90Us: 5100, p95Us: 6300, p99Us: 7000 },
        ...{ serverQueueUs: 1000, serverComputeInputUs: 100, serverComputeInferUs: 2500 },
        ...{ serverComputeOutputUs: 200, networkServerSendRecvUs: 300, clientSendUs: null },
      },
    ]);
    expect(one?.notes).toContain('Configuration a_config_0: backend_parameter/threads 4.');
    expect(one?.notes).toContain('Not imported: Client Send/Recv (ms), RAM Usage (MB).');
    expect(one?.notes).not.toContainEqual(expect.stringContaining('The file has no'));
  });

  it('have their GPUs where that file is given, and the notes what these had in use without a model', () => {
    const [best, other] = read(inference, { gpu, server });
    expect(best?.points[0]?.gpus).toEqual([
      {
        ...{ uuid: 'GPU-1', utilization: 0.805, powerW: 120.5, maxMemoryBytes: 512e6 },
        totalMemoryBytes: null,
      },
      { uuid: 'GPU-2', utilization: null, powerW: null, maxMemoryBytes: 300e6, totalMemoryBytes: null },
    ]);
    expect(best?.points[1]?.gpus).toBeUndefined();
    expect(other?.points[0]?.gpus).toBeUndefined();
    expect(best?.notes).toContain('Not imported from metrics-model-gpu.csv: DCGM.');
    expect(best?.notes).toContainEqual(expect.stringMatching(/in use without a model: GPU-1 \d/));
  });

  it('that are none are named: models measured together, rows without a figure, a level that appears twice', () => {
    const [one, ...others] = read(`${inference.trimEnd()}
wide,1,4,wide_config_default,1:CPU,16,No,403.0,12.0
wide,1,8,wide_config_default,1:CPU,16,No,None,12.0
"wide,deep","1,1","4,4","wide_config_1,deep_config_0","1:CPU,1:CPU","4,4",Yes,"900.1, [500.1,400.0]","9.1, [9.1,4.0]"
`).toReversed();
    expect(others).toHaveLength(1);
    expect(one?.points.map(({ inferencesPerSecond }) => inferencesPerSecond)).toEqual([402.1]);
    expect(one?.notes).toContain(
      'Not imported: line 5 repeats an earlier level, line 6 has no throughput or no p99.',
    );
    expect(one?.notes).toContain('Not imported: 1 rows of models that were measured together.');
  });

  it('of an ensemble keep the names of its composing configurations', () => {
    const [one] = read(
      'Model,Batch,Concurrency,Model Config Path,Throughput (infer/sec),p99 Latency (ms)\nens,1,1,"ens_config_0: a_config_1, b_config_2",10,3.5\n',
    );
    expect(one).toMatchObject({ model: 'ens', name: 'ens_config_0: a_config_1, b_config_2' });
  });
});

describe('a file of Model Analyzer that cannot be read', () => {
  const header = 'Model,Batch,Concurrency,Model Config Path,Throughput (infer/sec),p99 Latency (ms)';
  it.each([
    [
      'Model,Batch,Model Config Path\na,1,b\n',
      'metrics-model-inference.csv, line 1',
      /no column "Throughput/,
    ],
    [`${header}\na,1,1,b,10\n`, 'metrics-model-inference.csv, line 2', /5 values for 6 columns/],
    [`${header}\na,1,1,b,soon,3\n`, 'line 2, column "Throughput (infer/sec)"', /"soon" is not a number/],
    [`${header}\na,0,1,b,10,3\n`, 'line 2, column "Batch"', /not a whole number/],
    [`${header}\na,1,None,b,10,3\n`, 'line 2', /neither a concurrency nor a request rate/],
    [`${header},Batch\na,1,1,b,10,3,1\n`, 'line 1', /"Batch" appears twice/],
    [`${header}\n`, 'metrics-model-inference.csv', /no level/],
    [`${header}\n"a,b","1,1","1,1",x,"1, [1,2]","1, [1,2]"\n`, 'inference.csv', /only has models/],
  ])('is refused with its place: %j', (text, where, message) => {
    const error = refusal(text);
    expect(error.code).toBe('input-invalid');
    expect(error.where).toContain(where);
    expect(error.message).toMatch(message);
  });
});
