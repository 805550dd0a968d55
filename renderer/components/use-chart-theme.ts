import { useComputedColorScheme } from '@mantine/core';
import { type ChartTheme, chartThemes } from '../charts/chart-theme';

/** The charts' colours in the scheme that is shown. */
export function useChartTheme(): ChartTheme {
  return chartThemes[useComputedColorScheme('light')];
}
