import type { ImageInfo } from '../../../main/contract/docker';
import { ImageRow } from './image-row';
import { sortImages } from './image-text';

export function ImageTable({ images, connected }: { images: readonly ImageInfo[]; connected: boolean }) {
  return (
    <table className="table images-table">
      <thead>
        <tr>
          <th scope="col">Image</th>
          <th scope="col">Use</th>
          <th scope="col" className="number">
            Size
          </th>
          <th scope="col" className="number">
            Created
          </th>
          <th scope="col">Digest</th>
          <th scope="col" className="number">
            Containers
          </th>
          <th scope="col">
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {sortImages(images).map((image) => (
          <ImageRow key={image.id} image={image} connected={connected} />
        ))}
      </tbody>
    </table>
  );
}
