import type { ImageInfo } from '../../../main/contract/docker';
import { numeric, TableHead } from '../../components/table';
import { ImageRow } from './image-row';
import { sortImages } from './image-text';

const headings = [
  'Image',
  'Use',
  numeric('Size'),
  numeric('Created'),
  'Digest',
  numeric('Containers'),
  { title: 'Actions', hidden: true },
];

export function ImageTable({ images, connected }: { images: readonly ImageInfo[]; connected: boolean }) {
  return (
    <table className="table images-table">
      <TableHead headings={headings} />
      <tbody>
        {sortImages(images).map((image) => (
          <ImageRow key={image.id} image={image} connected={connected} />
        ))}
      </tbody>
    </table>
  );
}
