export const ink = { text: '#1f2933', soft: '#52606d', line: '#cbd2d9', grid: '#e4e7eb' } as const;

/** Single quotes: the chart renderer puts it into an attribute as it is. */
export const chartFont = "'Helvetica Neue', 'Liberation Sans', Arial, 'DejaVu Sans', sans-serif";
