package confine

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// limitMemory puts the process into a job object of its own: bounded memory, no further processes. The handle stays
// open for the life of the process on purpose.
func limitMemory(maxOctets int64) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY | windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS |
				windows.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION,
			ActiveProcessLimit: 1,
		},
		ProcessMemoryLimit: uintptr(maxOctets),
	}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))); err != nil {
		return
	}
	_ = windows.AssignProcessToJobObject(job, windows.CurrentProcess())
}

func lock() {}
