import { describe, expect, it } from 'vitest';
import { commandOf, emptyForm, readForm } from '../../../../../renderer/views/measure/measure-form';

const model = {
  name: 'bert',
  versions: ['1'],
  maxBatchSize: 8,
  dynamicInputs: [{ name: 'ids', dims: [-1] }],
};
const shapes = (ids: unknown) => ({ model: { shapes: { ids } } });
const filled = { ...emptyForm, model: 'bert', fields: shapes([128]) };
const problemsOf = (...of: Parameters<typeof readForm>) =>
  Object.fromEntries(readForm(...of).problems.map(({ field, message }) => [field, message]));

describe('what is asked to measure', () => {
  it('is a request with the levels, the budget and the shapes', () => {
    const fields = { ...filled.fields, performance: { batchSizes: [1, 8] } };
    const { request } = readForm({ ...filled, p99BudgetMs: 20, fields }, model);
    expect(request).toEqual({
      url: 'localhost:8000',
      model: 'bert',
      modelVersion: '',
      shapes: { ids: [128] },
      performance: {
        batchSizes: [1, 8],
        concurrency: [1, 2, 4, 8],
        protocol: 'grpc',
        measurementIntervalMs: 2000,
      },
      p99BudgetMs: 20,
    });
  });

  it('says which field is wrong, and how', () => {
    expect(problemsOf(emptyForm, null)).toEqual({ model: 'Required' });
    expect(problemsOf({ ...filled, fields: {} }, model)).toEqual({ 'model.shapes.ids': 'Required' });
    const performance = { batchSizes: [1, 16], concurrency: 'many' };
    expect(problemsOf({ ...filled, fields: { ...shapes([1, 2]), performance } }, model)).toEqual({
      'performance.batchSizes': '16 exceeds the maximum batch size 8 of bert',
      'performance.concurrency': '“many” is not a whole number of at least 1',
      'model.shapes.ids': '[1, 2] does not fit [-1]',
    });
    expect(readForm({ ...filled, fields: shapes([1, 2]) }, model).request).toBeNull();
  });

  it('is held to the rules that perf and a run have', () => {
    const far = { ...filled, url: 'http://far.example:8000' };
    const performance = { concurrency: [2048] };
    expect(problemsOf({ ...far, fields: { ...filled.fields, performance } }, model)).toEqual({
      'performance.concurrency':
        '2048 requests at a time are more than the 1024 that may be sent to another machine',
    });
    const short = { ...filled.fields, performance: { measurementIntervalMs: 0 } };
    expect(Object.keys(problemsOf({ ...filled, fields: short }, model))).toEqual([
      'performance.measurementIntervalMs',
    ]);
    expect(Object.keys(problemsOf({ ...far, host: 'gpu1' }, model))).toEqual(['url']);
  });

  it('sends headers, a line each, and shows no value in the command', () => {
    const headers = 'Authorization: Bearer s3cr3t\n\nX-Team: a\n';
    const { request } = readForm({ ...filled, headers }, model);
    expect(request?.headers).toEqual([
      { name: 'Authorization', value: 'Bearer s3cr3t' },
      { name: 'X-Team', value: 'a' },
    ]);
    const command = request === null ? '' : commandOf(request).join(' ');
    expect(command).toContain('-H Authorization: … -H X-Team: …');
    expect(command).not.toContain('s3cr3t');
    expect(problemsOf({ ...filled, headers: 'no colon' }, model)).toHaveProperty('headers');
  });

  it('has certificates for https only', () => {
    const caFile = '/ca.pem';
    expect(readForm({ ...filled, caFile }, model).request).not.toHaveProperty('tls');
    expect(readForm({ ...filled, caFile, url: 'https://gpu:8000' }, model).request?.tls).toEqual({ caFile });
  });

  it('goes through the host that sees the address', () => {
    const { request } = readForm({ ...filled, host: 'gpu1' }, model);
    expect(request?.host).toBe('gpu1');
    expect(readForm(filled, model).request).not.toHaveProperty('host');
    expect(request === null ? '' : commandOf(request).join(' ')).toContain('--host gpu1 -m bert');
  });

  it.each([
    ['localhost:8000', '-u localhost:8000 --grpc-url localhost:8001 -m'],
    ['gpu:9000', '-u gpu:9000 --grpc-url gpu:9001 --allow-remote-load -m'],
    ['http://localhost:8000?grpcPort=9', '-u localhost:8000 --grpc-url localhost:9 -m'],
    ['http://localhost:80', '-u localhost:80 --grpc-url localhost:81 -m'],
    ['https://gpu', '-u https://gpu:443 --grpc-url grpcs://gpu:443 --allow-remote-load -m'],
    ['no address', '-u no address -m'],
  ])('at %s reaches the same ports by command', (url, expected) => {
    const { request } = readForm({ ...filled, url }, model);
    expect(request === null ? '' : commandOf(request).join(' ')).toContain(`perf ${expected}`);
  });

  it('is of a language model with prompts, their budgets and no tensors', () => {
    const generation = {
      ...{ endpoint: 'chat', promptsFile: '/p.jsonl', outputTokens: 64 },
      ...{ ttftBudgetMs: 300, itlBudgetMs: 40 },
    };
    const form = { ...emptyForm, url: 'localhost:9000', model: 'lm' };
    const asked = { ...form, fields: { performance: { generation, concurrency: [4] } } };
    const { request, problems } = readForm(asked, null);
    expect(problems).toEqual([]);
    expect(request?.performance).toEqual({ generation, concurrency: [4], measurementIntervalMs: 2000 });
    expect(request === null ? '' : commandOf(request).join(' ')).toBe(
      'triton-workbench perf -u localhost:9000 -m lm --endpoint chat --prompts /p.jsonl --output-tokens 64 ' +
        '--ttft-budget-ms 300 --itl-budget-ms 40 --concurrency 4 --measurement-interval-ms 2000',
    );
    const bare = { ...form, fields: { performance: { generation: { endpoint: 'chat' } } } };
    expect(Object.keys(problemsOf(bare, null))).toEqual(['performance.generation.promptsFile']);
    const made = { endpoint: 'grpc-stream', inputTokens: 100, tokenizerFile: '/t.json' };
    const streamed = readForm({ ...form, fields: { performance: { generation: made } } }, null).request;
    expect(streamed === null ? '' : commandOf(streamed).join(' ')).toContain(
      '--endpoint grpc-stream --tokenizer /t.json --synthetic-input-tokens-mean 100 --concurrency',
    );
  });

  it('is the same as a command', () => {
    const { request } = readForm({ ...filled, p99BudgetMs: 20 }, model);
    expect(request === null ? [] : commandOf(request)).toEqual(
      (
        'triton-workbench perf -u localhost:8000 --grpc-url localhost:8001 -m bert --batch-sizes 1 --concurrency 1,2,4,8 --protocol grpc ' +
        '--measurement-interval-ms 2000 --shape ids:128 --p99-budget-ms 20'
      ).split(' '),
    );
  });
});

describe('a gateway', () => {
  const through = (via: string, performance: Record<string, unknown> = { protocol: 'http' }) => ({
    ...filled,
    via,
    fields: { ...filled.fields, performance },
  });

  it('is measured by looks of its own length, unless one was typed', () => {
    const { request } = readForm(through(' http://localhost:9000 '), model);
    expect(request).toMatchObject({ via: 'http://localhost:9000' });
    expect(request?.performance).not.toHaveProperty('measurementIntervalMs');
    const typed = through('localhost:9000', { protocol: 'http', measurementIntervalMs: 700 });
    expect(readForm(typed, model).request?.performance).toMatchObject({ measurementIntervalMs: 700 });
    expect(request === null ? '' : commandOf(request).join(' ')).toContain('--via http://localhost:9000');
  });

  it('has the protocol that is measured', () => {
    expect(problemsOf(through('http://localhost:9000', {}), model)).toEqual({
      via: 'http://localhost:9000 names another protocol than grpc, which is measured',
    });
    expect(problemsOf(through('grpc://localhost:9001', {}), model)).toEqual({});
  });

  it('is not measured with prompts, whatever protocol it names', () => {
    const generation = { endpoint: 'chat', promptsFile: '/p.jsonl' };
    const form = { ...emptyForm, model: 'lm', via: 'http://localhost:9000' };
    expect(problemsOf({ ...form, fields: { performance: { generation } } }, null)).toEqual({
      via: 'A gateway is measured with requests that have one response',
    });
  });

  it('on another machine gets no more than a server there', () => {
    const performance = { protocol: 'http', concurrency: [2048] };
    expect(Object.keys(problemsOf(through('http://far.example:80', performance), model))).toEqual([
      'performance.concurrency',
    ]);
  });
});
