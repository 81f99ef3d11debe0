/** A part of 0 to 1 in percent, to the nearest tenth; only none of it is 0 % and only all of it 100 %. */
export function shareText(share: number): string {
  const nearest = Math.round(share * 1_000);
  const told = share <= 0 || share >= 1 ? nearest : Math.min(999, Math.max(1, nearest));
  return `${told / 10} %`;
}
