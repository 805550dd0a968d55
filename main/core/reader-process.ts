import { readerTable } from './reader-table';
import { serveReaders } from '../readers/serve-readers';

/** Entry of the process in which everything from outside is read. */
serveReaders(readerTable);
