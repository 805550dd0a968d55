/**
 * The way of one request, and the column of perf_analyzer that its time is counted in. Source: the eight steps named in
 * the performance chapters of the deployment READMEs that the presets come from.
 */
export const requestSteps: readonly {
  readonly term: string;
  readonly what: string;
  readonly column: string;
}[] = [
  { term: 'Client send', what: 'the client serializes the request and sends it', column: 'Client send' },
  { term: 'Network', what: 'the message travels from client to server', column: 'Network + server' },
  {
    term: 'Server receive',
    what: 'the server deserializes the message',
    column: 'Network + server',
  },
  {
    term: 'Server queue',
    what: 'the request waits for a batch to fill or an instance to be free',
    column: 'Server queue',
  },
  {
    term: 'Server compute',
    what: 'inputs are gathered, the model runs, outputs are handed back',
    column: 'Compute input, infer, output',
  },
  { term: 'Server send', what: 'the server serializes the response', column: 'Network + server' },
  { term: 'Network', what: 'the response travels from server to client', column: 'Network + server' },
  { term: 'Client receive', what: 'the client deserializes the response', column: 'Client receive' },
];
