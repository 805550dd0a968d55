import { serveReaders } from '../readers/serve-readers';
import { readerTable } from './reader-table';

serveReaders(readerTable);
