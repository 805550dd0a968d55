/** One request as Triton's trace file has it; times in microseconds. */
export interface TracedRequestOf {
  readonly id: number;
  readonly model: string;
  readonly parent?: number;
  readonly requestId?: string;
  readonly atUs: Readonly<Record<string, number>>;
}

/** Objects of Triton's trace file: one that names the request, and one per time stamp. */
export const traceObjects = ({ id, model, parent, requestId, atUs }: TracedRequestOf): readonly object[] => [
  {
    ...{ id, model_name: model, model_version: 1 },
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(parent === undefined ? {} : { parent_id: parent }),
  },
  ...Object.entries(atUs).map(([name, us]) => ({
    id,
    timestamps: [{ name, ns: 2_356_425_000_000_000 + 1000 * us }],
  })),
];

/** Stamps of an HTTP request that waits and computes so long; 10 µs each for everything else. */
export function httpStamps(fromUs: number, queueUs: number, inferUs: number): Record<string, number> {
  const computeUs = fromUs + 30 + queueUs;
  const endUs = computeUs + 10 + inferUs + 10;
  return {
    ...{ HTTP_RECV_START: fromUs, HTTP_RECV_END: fromUs + 10, REQUEST_START: fromUs + 20 },
    ...{ QUEUE_START: fromUs + 30, COMPUTE_START: computeUs, COMPUTE_INPUT_END: computeUs + 10 },
    ...{ COMPUTE_OUTPUT_START: computeUs + 10 + inferUs, COMPUTE_END: endUs, REQUEST_END: endUs + 10 },
    ...{ HTTP_SEND_START: endUs + 10, HTTP_SEND_END: endUs + 20 },
  };
}

/** Stamps of a model that an ensemble sends a request to. */
export function stepStamps(fromUs: number, queueUs: number, inferUs: number): Record<string, number> {
  const computeUs = fromUs + queueUs;
  const endUs = computeUs + inferUs;
  return {
    ...{ REQUEST_START: fromUs, QUEUE_START: fromUs, COMPUTE_START: computeUs, COMPUTE_INPUT_END: computeUs },
    ...{ COMPUTE_OUTPUT_START: endUs, COMPUTE_END: endUs, REQUEST_END: endUs },
  };
}

export const traceFile = (requests: readonly TracedRequestOf[]): string =>
  JSON.stringify(requests.flatMap(traceObjects));

/** Stamps without these. */
export const without = (
  atUs: Readonly<Record<string, number>>,
  ...names: readonly string[]
): Record<string, number> =>
  Object.fromEntries(Object.entries(atUs).filter(([name]) => !names.includes(name)));
