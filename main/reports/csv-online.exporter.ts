import type { Exporter } from './exporter';
import { loadCsv } from './load-csv';

export const csvOnline: Exporter = {
  id: 'csv-online',
  render: ({ report }) => ({
    fileName: 'online.csv',
    content: report.scenarios
      .filter(({ id }) => id === 'online')
      .map((scenario) => loadCsv(scenario, report.verification))
      .join(''),
  }),
};
