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

export const ink = { text: '#1f2933', soft: '#52606d', line: '#cbd2d9', grid: '#e4e7eb' } as const;

/** Single quotes: the chart renderer puts it into an attribute as it is. */
export const chartFont = "'Helvetica Neue', 'Liberation Sans', Arial, 'DejaVu Sans', sans-serif";
