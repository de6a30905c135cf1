// A small picture of an image, from the edge, or from the file that is being uploaded.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { fileAddress } from '../uploads/pictures';

interface PictureProps {
  image: string;
  size: number;
  /** True if the image is published, so that everybody sees it. */
  isThere: boolean;
  alt?: string;
}

export function Picture({ image, size, isThere, alt = '' }: PictureProps): JSX.Element {
  const file = fileAddress(image);
  const address = file || imageAddress(image, size);
  const [failed, setFailed] = useState(''); // not everybody may see it
  if (failed === address || (!file && !(isThere && image))) {
    return <span class="blank" role={alt ? 'img' : undefined} aria-label={alt || undefined} />;
  }
  return <img src={address} alt={alt} loading="lazy" decoding="async" onError={() => setFailed(address)} />;
}

/** Return the address of a whole image that is at most `size` pixels wide and high. */
export function imageAddress(image: string, size: number): string {
  return `/iiif/3/${encodeURIComponent(image)}/full/!${size},${size}/0/default.jpg`;
}
