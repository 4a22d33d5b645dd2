package util

import "os"

// ChangeOwnership gives all of a volume to a group, as VolumeOwnership.ChangePermissions of pkg/volume does it for a volume that says of
// itself that it is read-only: those of ConfigMaps, Secrets and projected ones. A change that the system refuses is only logged.
func ChangeOwnership(dir string, group int64) error {
	return walkDeep(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		return changeFilePermission(path, &group, true, info)
	})
}
