import { serveReaders } from '../readers/serve-readers';
import { readerTable } from './reader-table';

/** Entry of the process in which everything from outside is read. */
serveReaders(readerTable);
