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

/** The line of a p99 budget on a light ground. */
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
