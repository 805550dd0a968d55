/** Okabe and Ito's colours, told apart with every common colour blindness (Color Universal Design, 2008). */
export const okabeIto = {
  black: '#000000',
  orange: '#e69f00',
  sky: '#56b4e9',
  green: '#009e73',
  yellow: '#f0e442',
  blue: '#0072b2',
  vermillion: '#d55e00',
  purple: '#cc79a7',
} as const;

/** Lines through the levels on a light ground: the window's light theme, and reports. */
export const lineColors = {
  throughput: okabeIto.blue,
  avg: '#55606b',
  p50: okabeIto.blue,
  p90: okabeIto.green,
  p95: okabeIto.orange,
  p99: okabeIto.vermillion,
} as const;

/** Runs that are compared, and GPUs, in their order on a light ground. */
export const orderColors = [
  okabeIto.blue,
  okabeIto.vermillion,
  okabeIto.green,
  okabeIto.purple,
  okabeIto.orange,
  okabeIto.black,
] as const;

/** The cross of a level without a result on a light ground. */
export const holeColor = '#a3487a';

/** The line of a p99 budget, and the sign of throttled clocks, on a light ground. */
export const budgetColor = '#c2002f';

/**
 * The seven latency components in the order in which a request passes them, the same in window and report; compute infer
 * has the strongest colour.
 */
export const componentColors = [
  okabeIto.purple,
  okabeIto.sky,
  okabeIto.orange,
  okabeIto.yellow,
  okabeIto.blue,
  okabeIto.green,
  okabeIto.vermillion,
] as const;
