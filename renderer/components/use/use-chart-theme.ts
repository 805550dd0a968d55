import { useComputedColorScheme } from '@mantine/core';
import { type ChartTheme, chartThemes } from '../../charts/chart-theme';

export function useChartTheme(): ChartTheme {
  return chartThemes[useComputedColorScheme('light')];
}
